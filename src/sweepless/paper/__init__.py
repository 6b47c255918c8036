"""The paper's tables and figures from one command: campaigns, printed numbers, verdicts."""
