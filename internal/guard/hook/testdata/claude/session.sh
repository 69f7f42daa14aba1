#!/bin/bash
# Tells the model about the project at the start.
grep -q '"source":"startup"' && echo "The build is green."
