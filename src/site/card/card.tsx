/** The social card of a page for link previews: its title, with the icon, title and colors of the site. */
import { hash } from 'node:crypto'
import { renderToString } from 'preact-render-to-string'
import { pathOfSiteSpace, type ReadPage } from '../../domain/sites/visitor-paths.js'
import type { Frame } from '../frame.js'
import { hrefOf } from '../links.js'
import { colorTokens } from '../look/style.js'
import { servesAgents } from '../markdown-output.js'
import { shortTitle } from '../navigation.js'
import type { Visit } from '../visit.js'
import { pictureAt } from './logo.js'

/** Version of the layout. Increase it if the same page yields another picture. */
const VERSION = 1
/** Maximum length of the description in characters. */
const MAX_ABOUT = 200

/** The content of the picture of a page. */
export interface CardPage {
  frame: Frame
  title: string
  description?: string
}

/** Whether pages have pictures: programs may read the site, and this machine has a Chromium. */
export const makesCards = (visit: Visit): boolean => servesAgents(visit) && visit.app.printer.missing() === null

/** Returns the path of a picture below the site. Undefined if pages have none. */
export function cardAddress(visit: Visit, page: ReadPage, card: CardPage): string | undefined {
  if (!makesCards(visit)) return undefined
  return `${visit.base}${pathOfSiteSpace(page.siteSpace)}/~card/${page.entry.id}/${shownIn(visit, card)}.png`
}

/** Returns a short digest of a picture's content, so that a changed picture has another address. */
function shownIn(visit: Visit, { frame, title, description }: CardPage): string {
  const { look, lang, dir, siteTitle, emoji } = frame
  const pictures = [logoOf(frame), iconOf(visit, frame)]
  const shown = [VERSION, title, description, siteTitle, emoji, pictures, lang, dir, look.themes.default, look.styling]
  return hash('sha256', JSON.stringify(shown), 'hex').slice(0, 12)
}

/** Returns the HTML of a picture, and its digest. */
export async function cardDocument(visit: Visit, card: CardPage): Promise<{ html: string; key: string }> {
  const { frame } = card
  const logo = await pictureAt(visit, logoOf(frame))
  const icon = logo === null ? await pictureAt(visit, iconOf(visit, frame)) : null
  const html = `<!doctype html>${renderToString(<CardLayout card={card} logo={logo} icon={icon} />)}`
  return { html, key: hash('sha256', html, 'hex').slice(0, 40) }
}

const logoOf = ({ logo, look }: Frame): string | undefined => (isDark(look) ? logo?.dark : logo?.light)

/** Returns the address of the icon that the site has instead of an emoji. */
function iconOf(visit: Visit, { look }: Frame): string | undefined {
  const { icon } = visit.visitor.site.doc
  const chosen = 'icon' in look.favicon ? look.favicon.icon : icon && 'icon' in icon ? icon.icon : undefined
  return chosen && hrefOf(visit, isDark(look) ? chosen.dark : chosen.light)
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

interface CardProps {
  card: CardPage
  /** Pictures as data URLs. */
  logo: string | null
  icon: string | null
}

/** The logo, which has the name of the site in it, or else an icon before the name. */
const Brand = ({ card: { frame }, logo, icon }: CardProps) => {
  if (logo !== null) return <img src={logo} alt="" />
  const { emoji, siteTitle } = frame
  return (
    <>
      {icon !== null ? <img src={icon} alt="" /> : emoji === undefined ? MARK : <span>{emoji}</span>}
      <span dir="auto">{siteTitle}</span>
    </>
  )
}

const CardLayout = (props: CardProps) => {
  const { frame, title, description } = props.card
  const { look, lang, dir } = frame
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
          <Brand {...props} />
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
