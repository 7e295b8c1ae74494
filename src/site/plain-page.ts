/**
 * Pages without a site's customization: unknown addresses, server failures, and sign-in. They contain neither the
 * site nor the cause.
 */
import type { SharedAssets } from './assets.js'
import { wordsFor } from './words/index.js'

/** The kinds of pages. */
export type PlainPage = 'missing' | keyof ReturnType<typeof wordsFor>['plain']

/** The surroundings of a plain page: its language, and the files of the server. */
export interface Plain {
  locale: string
  assets: Pick<SharedAssets, 'plain'>
}

/** The controls of a page: a link, or the finished part, from 0 to 1, of what its reader waits for; null = unknown. */
interface Controls {
  href?: string
  progress?: number | null
}

/** Returns the HTML of a page. Its style sheet has the same address below every path, even behind a proxy. */
export function plainPage(name: PlainPage, { locale, assets }: Plain, { href, progress }: Controls = {}): string {
  const { missing, plain } = wordsFor(locale)
  const words: { title: string; reason: string; action?: string } = name === 'missing' ? missing : plain[name]
  const { title, reason, action } = words
  const way = href && action ? `<p><a href="${escaped(href)}">${action}</a></p>` : ''
  const bar = progress === undefined ? '' : progressBar(title, progress, locale)
  return `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><meta name="color-scheme" content="light dark"><title>${title}</title><link rel="stylesheet" href="~assets/${assets.plain.name}"></head><body><main><h1>${title}</h1><p>${reason}</p>${bar}${way}</main></body></html>`
}

/** Returns a bar with the percentage that is done. */
function progressBar(title: string, part: number | null, locale: string): string {
  if (part === null) return `<progress aria-label="${title}"></progress>`
  const percentage = new Intl.NumberFormat(locale, { style: 'percent' }).format(part)
  return `<progress aria-label="${title}" value="${part.toFixed(2)}">${percentage}</progress><p>${percentage}</p>`
}

const escaped = (text: string): string => text.replace(/[&"<>]/g, (char) => `&#${char.charCodeAt(0)};`)

const FAILURES: Readonly<Record<number, PlainPage>> = {
  405: 'noMethod',
  416: 'badRange',
  429: 'tooMany',
  503: 'unavailable',
  507: 'unavailable',
}

/** Returns the page for the status of a failure. */
export const failurePage = (status: number, plain: Plain): string => plainPage(FAILURES[status] ?? 'failed', plain)
