/** The page with the results of a search. */
import type { Frame } from '../frame.js'
import type { Navigation } from '../navigation.js'
import type { NearPage } from '../nearest.js'
import type { Marked, SearchHit, SearchResults } from '../search-results.js'
import { Surroundings } from './page.js'
import { SearchForm } from './search-form.js'

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

const Hit = ({ hit: { href, title, place, text, dir } }: { hit: SearchHit }) => (
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
      <p dir={dir ?? 'auto'}>
        <Text parts={text} />
      </p>
    )}
  </a>
)

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
        <SearchForm frame={frame} query={query} />
        {query === '' ? null : (
          <div class="finder-scope results-scope">
            {scopes.map(({ id, title }) => (
              <a class="chip" href={scoped(id)} aria-current={id === scope ? 'true' : undefined}>
                {title}
              </a>
            ))}
            <output dir="auto">{status}</output>
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
