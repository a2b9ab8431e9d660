
# Where the package bash-completion is missing, this does without its functions.
if ! declare -F _get_comp_words_by_ref >/dev/null; then
    __wake_init_completion()
    {
        local line=${COMP_LINE:0:COMP_POINT}
        COMPREPLY=()
        read -ra words <<< "$line"
        [[ $line == *[[:space:]] ]] && words+=("")
        cword=$((${#words[@]} - 1))
        cur=${words[cword]} prev=${words[cword - 1]}
    }
fi
