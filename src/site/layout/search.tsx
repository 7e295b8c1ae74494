/** The search: the page with results, and the dialog that the script opens on every page. */
import type { Frame } from '../frame.js'
import type { Navigation } from '../navigation.js'
import type { NearPage } from '../nearest.js'
import type { Marked, SearchHit, SearchResults } from '../search-results.js'
import { Icon } from './icons.js'
import { Surroundings } from './page.js'

const Text = ({ parts }: { parts: Marked }) => (
  <>{parts.map((part, index) => (index % 2 === 1 ? <mark>{part}</mark> : part))}</>
)

export interface SearchModel {
  results: SearchResults
  /** The chosen part of the site; '' = all. */
  scope: string
  /** Returns the address of the same search in a part of the site. */
  scoped: (id: string) => string
  /** Pages with a similar address, if there are no results. */
  near: readonly NearPage[]
  navigation: Navigation
}

const Hit = ({ hit: { href, title, place, text } }: { hit: SearchHit }) => (
  <a class="hit" href={href}>
    <span>
      <b dir="auto">
        <Text parts={title} />
      </b>
      {place === '' ? null : (
        <span class="where" dir="auto">
          {place}
        </span>
      )}
    </span>
    {text.join('') === '' ? null : (
      <p dir="auto">
        <Text parts={text} />
      </p>
    )}
  </a>
)

/** The hidden field that keeps the variant in which the reader searches. */
const From = ({ frame: { searchFrom } }: { frame: Frame }) =>
  searchFrom === undefined ? null : <input type="hidden" name="at" value={searchFrom} />

export const SearchLayout = ({ frame, model }: { frame: Frame; model: SearchModel }) => {
  const { words } = frame
  const { results, scope, scoped, near, navigation } = model
  const { query, status, scopes, groups } = results
  return (
    <Surroundings frame={frame} navigation={navigation} variants={[]}>
      <main id="ui~main">
        <div class="head">
          <h1>{words.search}</h1>
        </div>
        <form class="search-form" role="search" action={frame.searchAction}>
          <From frame={frame} />
          <input type="search" name="q" value={query} maxlength={200} aria-label={words.searchLabel} dir="auto" />
          <button type="submit" class="btn primary">
            {words.search}
          </button>
        </form>
        {query === '' ? null : (
          <div class="finder-scope results-scope">
            {scopes.map(({ id, title }) => (
              <a class="chip" href={scoped(id)} aria-current={id === scope ? 'true' : undefined}>
                {title}
              </a>
            ))}
            <output>{status}</output>
          </div>
        )}
        <div class="results">
          {groups.map(({ title, hits }) => (
            <section>
              {groups.length > 1 ? <h2 class="finder-group">{title}</h2> : null}
              {hits.map((hit) => (
                <Hit hit={hit} />
              ))}
            </section>
          ))}
        </div>
        {near.length === 0 ? null : (
          <>
            <h2>{words.missing.similar}</h2>
            <ul class="linklist">
              {near.map(({ title, href }) => (
                <li>
                  <a href={href}>{title}</a>
                </li>
              ))}
            </ul>
          </>
        )}
      </main>
    </Surroundings>
  )
}

/** The dialog for searching as you type. It stays closed without script. It also carries words and icons for the script. */
export const SearchDialog = ({ frame }: { frame: Frame }) => {
  const { words, searchAction } = frame
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
    >
      <form class="finder-in" role="search" action={searchAction}>
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
        <output />
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
