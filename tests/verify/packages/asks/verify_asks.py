"""Asks a question while it is loaded."""

TOKEN = input("token: ")
