"""The paper's machines: a coordinator and a process for each player, over any kind of line."""
