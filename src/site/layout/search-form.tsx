/** The form of the search, and the dialog that the script opens on every page. */
import type { Frame } from '../frame.js'
import { Icon } from './icons.js'

/** The hidden field that keeps the variant in which the reader searches. */
const From = ({ frame: { searchFrom } }: { frame: Frame }) =>
  searchFrom === undefined ? null : <input type="hidden" name="at" value={searchFrom} />

export const SearchForm = ({ frame, query }: { frame: Frame; query: string }) => (
  <search>
    <form class="search-form" action={frame.searchAction}>
      <From frame={frame} />
      <input type="search" name="q" value={query} maxlength={200} aria-label={frame.words.searchLabel} dir="auto" />
      <button type="submit" class="btn primary">
        {frame.words.search}
      </button>
    </form>
  </search>
)

/** The dialog for searching as you type. It stays closed without script. It also carries words and icons for the script. */
export const SearchDialog = ({ frame }: { frame: Frame }) => {
  const { words, searchAction, searchOffline } = frame
  const { searching, feedback, close, copied, failed } = words
  const scriptWords = { copied, close, failed, thanks: feedback.thanks, ask: feedback.ask, send: feedback.send }
  return (
    <dialog
      class="finder"
      id="ui~finder"
      aria-label={words.search}
      data-words={JSON.stringify(scriptWords)}
      data-open={searching.open}
      data-failed={searching.failed}
      data-offline={searchOffline && JSON.stringify(searchOffline)}
    >
      <form class="finder-in" action={searchAction}>
        <Icon name="search" />
        <From frame={frame} />
        <input
          name="q"
          role="combobox"
          aria-expanded="false"
          aria-controls="ui~hits"
          aria-autocomplete="list"
          aria-label={words.searchLabel}
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxlength={200}
          dir="auto"
        />
        <button type="submit" class="btn-i" formmethod="dialog" aria-label={close}>
          <Icon name="x" />
        </button>
      </form>
      <div class="finder-scope" hidden>
        <output dir="auto" />
      </div>
      <div class="finder-list" id="ui~hits" role="listbox" aria-label={searching.results} hidden />
      <div class="finder-keys">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> {searching.select}
        </span>
        <span>
          <kbd>↵</kbd> {searching.open}
        </span>
        <span>
          <kbd>Esc</kbd> {close}
        </span>
      </div>
      <template>
        <Icon name="file" />
        <Icon name="hash" />
        <Icon name="check" />
      </template>
    </dialog>
  )
}
