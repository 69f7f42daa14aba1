#!/bin/sh
# BeforeTool: refuse changes to generated files and to .env. Exit code 2 blocks the call, and the
# model gets the text on standard error.
path=$(sed -n 's/.*"file_path":"\([^"]*\)".*/\1/p')
case $path in
*.lock | *package-lock.json | *.generated.*)
	echo "$path is generated: change its source, and run the generator." >&2
	exit 2
	;;
*/.env | .env)
	echo "Ask the user to change $path." >&2
	exit 2
	;;
esac
