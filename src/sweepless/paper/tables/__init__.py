"""The numbers that the paper prints, table by table and figure by figure, and how each is measured on our runs."""
