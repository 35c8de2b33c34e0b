import { IconButton } from "@perya/ui/button";
import { ClearIcon, SearchIcon } from "@perya/ui/icon";
import { useEffect, useRef, useState } from "react";
import { useText } from "../../shell/text.ts";
import styles from "./search-box.module.css";

const DEBOUNCE_MS = 600;
const NAME_MAX = 60;

/**
 * Searches when the typing pauses, and at once on Enter. `value` is the current search and `list`
 * names its list: text typed for another list is no longer searched for.
 */
export function SearchBox(props: {
  value: string;
  list: string;
  onSearch: (name: string) => void;
  autoFocus?: boolean;
}) {
  const { value, list, onSearch, autoFocus = false } = props;
  const { t } = useText();
  const [text, setText] = useState(value);
  const searched = useRef(value);
  const input = useRef<HTMLInputElement>(null);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const search = (name: string) => {
    const trimmed = name.trim();
    if (trimmed === searched.current) return;
    searched.current = trimmed;
    onSearch(trimmed);
  };

  // A search from elsewhere (Back, a recent one) or another list shows in the box and cancels what
  // was typed before: the box is drawn again a moment later.
  const shown = useRef({ value, list });
  useEffect(() => {
    const before = shown.current;
    shown.current = { value, list };
    if (value === before.value && list === before.list) return;
    // Its own search may lead to another list.
    if (value !== before.value && value === searched.current) return;
    clearTimeout(resting.current);
    searched.current = value;
    setText(value);
  }, [value, list]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the typing alone starts the wait.
  useEffect(() => {
    resting.current = setTimeout(() => search(text), DEBOUNCE_MS);
    return () => clearTimeout(resting.current);
  }, [text]);
  useEffect(() => {
    if (autoFocus) input.current?.focus();
  }, [autoFocus]);

  return (
    <search>
      <form
        className={styles.box}
        onSubmit={(event) => {
          event.preventDefault();
          search(text);
          input.current?.blur();
        }}
      >
        <SearchIcon className={styles.lead} size={20} />
        <input
          ref={input}
          type="search"
          enterKeyHint="search"
          aria-label={t("games.search_label")}
          placeholder={t("games.search_placeholder")}
          maxLength={NAME_MAX}
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {text !== "" && (
          <IconButton
            label={t("games.clear_search")}
            onClick={() => {
              setText("");
              search("");
              input.current?.focus();
            }}
          >
            <ClearIcon size={20} />
          </IconButton>
        )}
      </form>
    </search>
  );
}
