/** The head of an HTML document, for browsers, search engines and link previews. */
import type { Frame } from '../frame.js'
import type { SiteLink } from '../links.js'

/** The head of a page. */
export interface HeadModel {
  /** The title of the window. */
  title: string
  /** The title of the page alone, and its kind, for previews. */
  name: string
  description?: string
  /** Whether search engines may list the page. */
  indexed: boolean
  canonical?: string
  /** The addresses of the page in all its languages. */
  languages: readonly { lang: string; href: string }[]
  /** The address of the page as markdown. */
  markdown?: string
  /** The address of the feed of the site. */
  feed?: string
  /** The address of the OpenSearch description document. */
  openSearch?: string
  icons: readonly HeadIcon[]
  /** The image for link previews. Only social cards of the service have a known size. */
  image?: { href: string; isCard: boolean }
  breadcrumbs: readonly SiteLink[]
  /** The time of the last change, as ISO 8601, and its author. */
  changed?: { date: string; author: string }
  /** Addresses of the files that the page loads. */
  sheet: string
  scheme: string
  script: string
  preload: readonly string[]
  /** The script that sends requests to APIs, if the page has operations. It loads its style sheet when it is used. */
  trier?: { script: string; sheet: string }
  /** The style sheet for changes since a point in time, if the page marks them. */
  sinceSheet?: string
  /** Whether the page belongs to a bundle: no server sends it. */
  isOffline: boolean
}

/** An icon of the site in the window, for one color scheme or for both. */
export interface HeadIcon {
  href: string
  scheme?: 'light' | 'dark'
}

/** Returns JSON for a script element: no part of it can end the element. It is data, and browsers never run it. */
const scriptJson = (value: unknown): string => JSON.stringify(value).replace(/</g, '\\u003c')

function linkedData({ head, frame }: { head: HeadModel; frame: Frame }): unknown {
  const { canonical, name, description, changed, breadcrumbs, image } = head
  const origin = canonical === undefined ? undefined : new URL(canonical).origin
  return {
    '@context': 'https://schema.org',
    '@type': 'TechArticle',
    headline: name,
    description,
    url: canonical,
    image: image?.href,
    inLanguage: frame.lang,
    dateModified: changed?.date,
    author: changed && changed.author !== '' ? { '@type': 'Person', name: changed.author } : undefined,
    isPartOf: { '@type': 'WebSite', name: frame.siteTitle },
    breadcrumb:
      breadcrumbs.length === 0
        ? undefined
        : {
            '@type': 'BreadcrumbList',
            itemListElement: breadcrumbs.map(({ title, href }, index) => ({
              '@type': 'ListItem',
              position: index + 1,
              name: title,
              item: href === undefined || origin === undefined ? undefined : new URL(href, origin).href,
            })),
          },
  }
}

const CARD_FACTS: readonly [string, string][] = [
  ['og:image:type', 'image/png'],
  ['og:image:width', '1200'],
  ['og:image:height', '630'],
]

const OpenGraph = ({ head, frame }: { head: HeadModel; frame: Frame }) => {
  const { canonical, name, description, image, changed } = head
  const tags: [string, string | undefined][] = [
    ['og:type', 'article'],
    ['og:site_name', frame.siteTitle],
    ['og:title', name],
    ['og:description', description],
    ['og:url', canonical],
    ['og:locale', frame.lang.replace('-', '_')],
    ['og:image', image?.href],
    ...(image?.isCard ? CARD_FACTS : []),
    ['og:image:alt', image?.isCard ? name : undefined],
    ['article:modified_time', changed?.date],
  ]
  return (
    <>
      {tags.map(([property, content]) =>
        content === undefined ? null : <meta property={property} content={content} />,
      )}
      <meta name="twitter:card" content={image === undefined ? 'summary' : 'summary_large_image'} />
    </>
  )
}

/** Lets a page from a folder load only files. */
const OFFLINE_POLICY =
  "default-src 'none'; script-src 'self' file:; style-src 'self' file:; img-src 'self' file: data:; " +
  "font-src 'self' file:; media-src 'self' file:; base-uri 'none'; form-action 'none'"

export const Head = ({ head, frame }: { head: HeadModel; frame: Frame }) => {
  const {
    title,
    description,
    indexed,
    canonical,
    languages,
    markdown,
    openSearch,
    feed,
    icons,
    sheet,
    scheme,
    script,
    preload,
    sinceSheet,
    trier,
    isOffline,
  } = head
  return (
    <head>
      <meta charset="utf-8" />
      {isOffline ? <meta http-equiv="Content-Security-Policy" content={OFFLINE_POLICY} /> : null}
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{title}</title>
      {description === undefined ? null : <meta name="description" content={description} />}
      {indexed ? null : <meta name="robots" content="noindex" />}
      {canonical === undefined ? null : <link rel="canonical" href={canonical} />}
      {languages.map(({ lang, href }) => (
        <link rel="alternate" hreflang={lang} href={href} />
      ))}
      {markdown === undefined ? null : <link rel="alternate" type="text/markdown" href={markdown} />}
      {feed === undefined ? null : <link rel="alternate" type="application/atom+xml" href={feed} />}
      {openSearch === undefined ? null : (
        <link rel="search" type="application/opensearchdescription+xml" title={frame.siteTitle} href={openSearch} />
      )}
      {icons.map((icon) => (
        <link
          rel="icon"
          href={icon.href}
          media={icon.scheme === undefined ? undefined : `(prefers-color-scheme: ${icon.scheme})`}
        />
      ))}
      {preload.map((href) => (
        <link rel="preload" href={href} as="font" type="font/woff2" crossorigin="anonymous" />
      ))}
      <script src={scheme} />
      <link rel="stylesheet" href={sheet} />
      {sinceSheet === undefined ? null : <link rel="stylesheet" href={sinceSheet} />}
      {/* Browsers load modules only from servers. */}
      {isOffline ? <script src={script} defer /> : <script src={script} type="module" />}
      {trier === undefined ? null : <script src={trier.script} type="module" data-sheet={trier.sheet} />}
      {canonical === undefined || isOffline ? null : <OpenGraph head={head} frame={frame} />}
      {canonical === undefined || isOffline || !indexed ? null : (
        <script
          type="application/ld+json"
          dangerouslySetInnerHTML={{ __html: scriptJson(linkedData({ head, frame })) }}
        />
      )}
    </head>
  )
}
