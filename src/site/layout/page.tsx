/** A page of a site: header, navigation, text and outline. */
import type { Rendered } from '../../render/index.js'
import type { NavigationItem } from '../navigation.js'

/** What a page shows. */
export interface PageModel {
  siteTitle: string
  home: string
  title: string
  description?: string
  html: string
  headings: Rendered['headings']
  navigation: readonly NavigationItem[]
  /** A line above the page. */
  notice?: string
}

const Tree = ({ items }: { items: readonly NavigationItem[] }) => (
  <ul>
    {items.map((item) => (
      <li>
        {item.href === undefined ? (
          <p class="group">{item.title}</p>
        ) : (
          <a href={item.href} aria-current={item.isCurrent ? 'page' : undefined}>
            {item.title}
            {item.isChanged ? (
              <span class="moved">
                <span class="vh">changed</span>
              </span>
            ) : null}
          </a>
        )}
        {item.items.length > 0 ? <Tree items={item.items} /> : null}
      </li>
    ))}
  </ul>
)

export const PageLayout = ({ model }: { model: PageModel }) => (
  <>
    <a class="skip vh" href="#ui~main">
      Skip to content
    </a>
    {model.notice === undefined ? null : (
      <p class="announce info" role="note">
        {model.notice}
      </p>
    )}
    <header class="top">
      <div class="frame">
        <a class="brand" href={model.home}>
          <span>{model.siteTitle}</span>
        </a>
      </div>
    </header>
    <div class="frame cols three">
      <nav class="tree" id="ui~tree" popover="auto" aria-label="Pages">
        <Tree items={model.navigation} />
      </nav>
      <main id="ui~main">
        <article>
          <div class="head">
            <h1 dir="auto">{model.title}</h1>
            {model.description ? <p class="lead">{model.description}</p> : null}
          </div>
          <div class="prose" dangerouslySetInnerHTML={{ __html: model.html }} />
        </article>
      </main>
    </div>
  </>
)
