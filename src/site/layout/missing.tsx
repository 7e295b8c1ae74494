/** The page for missing addresses. */
import type { Frame } from '../frame.js'
import type { Navigation } from '../navigation.js'
import type { NearPage } from '../nearest.js'
import type { Variant } from '../variants.js'
import { Surroundings } from './page.js'
import { SearchForm } from './search-form.js'

export interface MissingModel {
  /** The path as the reader entered it, decoded. */
  path: string
  /** The words of the path, for the search. */
  query: string
  near: readonly NearPage[]
  navigation: Navigation
  variants: readonly Variant[]
}

export const MissingLayout = ({ frame, model }: { frame: Frame; model: MissingModel }) => {
  const { words } = frame
  const { path, query, near, navigation, variants } = model
  return (
    <Surroundings frame={frame} navigation={navigation} variants={variants}>
      <main id="ui~main">
        <div class="missing">
          <p class="code" dir="ltr">
            404 {path}
          </p>
          <h1>{words.missing.title}</h1>
          <p>
            <bdi>{words.missing.reason}</bdi>
          </p>
          <SearchForm frame={frame} query={query} />
          {near.length === 0 ? null : (
            <>
              <h2>{words.missing.similar}</h2>
              <ul class="linklist">
                {near.map(({ title, href, path: place }) => (
                  <li>
                    <a href={href}>{title}</a>
                    <span class="code" dir="ltr">
                      {place}
                    </span>
                  </li>
                ))}
              </ul>
            </>
          )}
        </div>
      </main>
    </Surroundings>
  )
}
