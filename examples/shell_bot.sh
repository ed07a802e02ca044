#!/bin/sh
# A bot for Famiglia that needs nothing but a shell and awk: docs/programs.md describes the lines.
# It takes or recruits the first card that it can, and passes only if there is nothing else.

while IFS= read -r line; do
    case $line in
    '{"type":"start"'*)
        echo "a game begins" >&2 # what is for people goes to standard error
        ;;
    '{"type":"decide"'*)
        decision=${line#*\"decision\":}
        # The legal list comes last. Each of its actions begins with its type.
        printf '%s\n' "${line##*\"legal\":}" | awk -v decision="${decision%%,*}" '{
            number = split($0, actions, /\{"type":"/) - 1
            choice = 0
            for (i = number; i >= 1; i--)
                if (actions[i + 1] !~ /^pass/) choice = i - 1
            for (i = number; i >= 1; i--)
                if (actions[i + 1] ~ /^(take|recruit)/) choice = i - 1
            printf "{\"choice\": %d, \"decision\": %d}\n", choice, decision
        }'
        ;;
    esac
done
