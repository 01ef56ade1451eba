"""Web service for simulations: POST a task, one worker at a time computes it, and a link leads to
its result.
"""
