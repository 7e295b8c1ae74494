/** The picture of a page for previews of links: its title, with the mark, the title and the colors of the site. */
import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { renderToString } from 'preact-render-to-string'
import { contentTypeOf } from '../../content/files.js'
import { findFile, type VisitorFile } from '../../domain/sites/visitor-file.js'
import { pathOfSiteSpace, type ReadPage } from '../../domain/sites/visitor-paths.js'
import type { Frame } from '../frame.js'
import { colorTokens } from '../look/style.js'
import { servesAgents } from '../markdown-output.js'
import { shortTitle } from '../navigation.js'
import type { Visit } from '../visit.js'

/** Version of the layout. Increase it if the same page yields another picture. */
const VERSION = 1
/** Maximum length of the description in characters. */
const MAX_ABOUT = 200
/** Maximum size of a logo in bytes. */
const MAX_LOGO = 512 * 1024

/** What the picture of a page shows. */
export interface CardPage {
  frame: Frame
  title: string
  description?: string
}

/** Whether pages have pictures: programs may read the site, and this machine has a Chromium. */
export const makesCards = (visit: Visit): boolean => servesAgents(visit) && visit.app.printer.missing() === null

/** Returns the path of a picture below the site. Undefined if pages have none. */
export async function cardAddress(visit: Visit, page: ReadPage, card: CardPage): Promise<string | undefined> {
  if (!makesCards(visit)) return undefined
  const key = await cardKey(visit, card)
  return `${visit.base}${pathOfSiteSpace(page.siteSpace)}/~card/${page.entry.id}/${key.slice(0, 12)}.png`
}

/** Returns a digest of everything that a picture shows. */
export async function cardKey(visit: Visit, { frame, title, description }: CardPage): Promise<string> {
  const { look, lang, dir, siteTitle, emoji } = frame
  const logo = (await logoFile(visit, frame))?.oid
  const shown = [VERSION, title, description, siteTitle, emoji, logo, lang, dir, look.themes.default, look.styling]
  return createHash('sha256').update(JSON.stringify(shown)).digest('hex').slice(0, 40)
}

/** Returns the HTML of a picture. */
export async function cardDocument(visit: Visit, card: CardPage): Promise<string> {
  const file = await logoFile(visit, card.frame)
  const content = file && (await file.read())
  const bytes = !content || Buffer.isBuffer(content) ? content : await buffer(content)
  const logo = file && bytes ? `data:${contentTypeOf(file.name)};base64,${bytes.toString('base64')}` : undefined
  return `<!doctype html>${renderToString(<CardLayout card={card} logo={logo} />)}`
}

/** Returns the file of the logo. Logos of other hosts are not fetched: the name of the site replaces them. */
async function logoFile({ app, visitor, base }: Visit, { logo, look }: Frame): Promise<VisitorFile | null> {
  const href = isDark(look) ? logo?.dark : logo?.light
  if (href === undefined || !href.startsWith(`${base}/`)) return null
  const file = await findFile(app, visitor, href.slice(base.length))
  return file && file.size <= MAX_LOGO && contentTypeOf(file.name).startsWith('image/') ? file : null
}

const isDark = ({ themes }: Frame['look']): boolean => themes.default === 'dark'

const SHEET = `
* { margin: 0; box-sizing: border-box }
html { width: 1200px; height: 630px; overflow: hidden }
body {
  width: 1200px; height: 630px; padding: 64px 76px 60px; display: grid; grid-template-rows: auto 1fr auto;
  background: var(--paper); color: var(--ink); border-inline-start: 16px solid var(--accent-fill);
  font-family: "IBM Plex Sans", "Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Thai",
    "Noto Sans SC Variable", "Noto Sans KR Variable", "Noto Sans CJK SC", "Noto Color Emoji", sans-serif;
}
header { display: flex; align-items: center; gap: 18px; font-size: 32px; font-weight: 600; min-width: 0 }
header img { max-height: 56px; max-width: 480px }
header svg { width: 48px; height: 48px; color: var(--accent-fill); flex: none }
header span { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; line-height: 1.4 }
main { align-self: center; min-width: 0 }
h1 { font-weight: 600; line-height: 1.16; text-wrap: balance; overflow-wrap: anywhere }
h1.s { font-size: 84px } h1.m { font-size: 66px } h1.l { font-size: 50px }
:lang(ja) h1 { word-break: auto-phrase }
:lang(ko) h1 { word-break: keep-all }
:lang(ar) h1, :lang(fa) h1, :lang(ur) h1, :lang(hi) h1, :lang(th) h1 { line-height: 1.4 }
h1, p { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 3; overflow: hidden }
p { -webkit-line-clamp: 2; margin-top: 22px; font-size: 30px; line-height: 1.45; color: var(--ink-2) }
footer { height: 1px; background: var(--line) }
`

/** Returns the width of a text in Latin letters, approximately. */
const widthOf = (text: string): number =>
  [...text].reduce(
    (sum, one) => sum + (/[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{Extended_Pictographic}]/u.test(one) ? 2 : 1),
    0,
  )

const sizeOf = (title: string): string => {
  const width = widthOf(title)
  return width <= 44 ? 's' : width <= 72 ? 'm' : 'l'
}

const MARK = (
  <svg viewBox="0 0 26 26" aria-hidden="true">
    <path d="M3 4.5h20v17H3z" fill="none" stroke="currentColor" stroke-width="2" />
    <path d="M7.5 9h7M7.5 13h9M7.5 17h5" stroke="currentColor" stroke-width="2" />
    <path d="M19 8v10" stroke="currentColor" stroke-width="2.5" />
  </svg>
)

const CardLayout = ({ card, logo }: { card: CardPage; logo: string | undefined }) => {
  const { frame, title, description } = card
  const { look, lang, dir, siteTitle, emoji } = frame
  const scheme = isDark(look) ? 'dark' : 'light'
  const style = `${colorTokens(look)}:root{color-scheme:${scheme}}${SHEET}`
  const about = description === undefined ? '' : [...description].slice(0, MAX_ABOUT).join('')
  return (
    <html lang={lang} dir={dir}>
      <head>
        <meta charset="utf-8" />
        <title>{title}</title>
        <link rel="stylesheet" href="/fonts.css" />
        <style dangerouslySetInnerHTML={{ __html: style }} />
      </head>
      <body>
        <header>
          {logo === undefined ? emoji === undefined ? MARK : <span>{emoji}</span> : <img src={logo} alt="" />}
          {logo === undefined ? <span dir="auto">{siteTitle}</span> : null}
        </header>
        <main>
          <h1 dir="auto" class={sizeOf(title)}>
            {shortTitle(title)}
          </h1>
          {about === '' ? null : <p dir="auto">{about}</p>}
        </main>
        <footer />
      </body>
    </html>
  )
}
