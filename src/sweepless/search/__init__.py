"""The searches: operators find steps, schedules take them, methods are names for both."""
