/** The list of the versions of a page. */
import type { Frame } from '../frame.js'
import type { Navigation } from '../navigation.js'
import { Surroundings } from './page.js'

export interface VersionsModel {
  name: string
  page: { title: string; href: string }
  versions: readonly {
    href: string
    date: string
    day: string
    /** '' if Git has none. */
    author: string
    /** The start of the commit's ID. */
    commit: string
    isCurrent: boolean
  }[]
  /** The number of listed changes, if there are more. */
  limit?: number
  navigation: Navigation
}

export const VersionsLayout = ({ frame, model }: { frame: Frame; model: VersionsModel }) => {
  const { words } = frame
  const { name, page, versions, limit, navigation } = model
  return (
    <Surroundings frame={frame} navigation={navigation} variants={[]} hasOutline={false}>
      <main id="ui~main">
        <div class="head">
          <h1>{name}</h1>
          <p class="lead">
            <a href={page.href}>{page.title}</a>
          </p>
        </div>
        <div class="prose">
          <ul>
            {versions.map(({ href, date, day, author, commit, isCurrent }) => (
              <li>
                <a href={href} rel={isCurrent ? undefined : 'nofollow'}>
                  <time datetime={date}>{day}</time>
                </a>
                {author === '' ? null : ` · ${author}`}
                {' · '}
                <code dir="ltr">{commit}</code>
                {isCurrent ? ` · ${words.past.current}` : null}
              </li>
            ))}
          </ul>
          {limit === undefined ? null : <p>{words.past.limit(limit)}</p>}
        </div>
      </main>
    </Surroundings>
  )
}
