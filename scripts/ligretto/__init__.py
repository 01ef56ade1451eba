"""The study of Ligretto behind docs/ligretto.md."""
