from sweepless.journal.watch import WatchedRun as WatchedRun
