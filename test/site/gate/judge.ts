/** The rules for every response of a site. */
import { createHash } from 'node:crypto'
import { headerLines, type Told } from './ask.js'
import { replaceWords, wordsIn } from './canaries.js'
import type { Reach, View } from './oracle.js'
import type { Request } from './outputs.js'
import { type Page, pageChain, type World } from './world.js'

/** A rule that a response breaks. */
export class Leak extends Error {}

const digest = (told: Told): string =>
  createHash('sha256')
    .update(`${told.status}\n${headerLines(told).join('\n')}\n`)
    .update(told.body)
    .digest('hex')

const headText = (told: Told): string => told.raw.join('\n')

/** No word of an invisible thing is in the body or the headers. */
export function judgeWords(
  told: Told,
  request: Request,
  asked: string,
  reach: ReadonlyMap<string, Reach>,
  world: World,
): void {
  const repeated = wordsIn(`${asked}\n${request.body ?? ''}`)
  const words = wordsIn(`${told.text}\n${headText(told)}`)
  // An entry of a feed shows the blocks of a page that changed, and not always its text.
  const marksOf = (page: Page): string[] => (request.output.includes('feed') ? page.words : [page.text])
  const isShown = (page: Page): boolean => marksOf(page).some((word) => words.has(word) && reach.get(word) === 'listed')
  const shown = /^(?:search|navigation|bundle)/.test(request.output)
    ? []
    : world.spaces.flatMap(({ pages }) => pages.filter(isShown))
  const near = new Set([...(request.page ? [request.page] : []), ...shown].flatMap((page) => nearWords(world, page)))
  const asset = request.lost ? undefined : request.file
  const ofFile = asset ? [asset.name, ...asset.words] : []
  for (const word of words) {
    const far = reach.get(word)
    if (far === undefined || far === 'listed' || repeated.has(word) || ofFile.includes(word)) continue
    if (far === 'read' && (near.has(word) || request.output === 'seen address')) continue
    throw new Leak(`the response contains ${word}, which is for this visitor: ${far}\n${around(told.text, word)}`)
  }
}

/** Words of hidden pages that a page may contain: its own, and those of the pages above it and of its links. */
const nearWords = ({ spaces }: World, page: Page): string[] =>
  [...pageChain(page), ...page.links.flatMap(pageChain)].flatMap((one) => [
    ...one.words,
    ...one.former,
    ...(one.group?.words ?? []),
    ...[...one.blocks, ...one.formerBlocks].map(({ word }) => word),
    ...one.includes.flatMap(({ word, blocks }) => [word, ...blocks.map((block) => block.word)]),
    ...one.variables.map(({ word }) => word),
    ...one.files.flatMap(({ words }) => words),
    ...one.proposed,
    ...spaces.flatMap(({ proposals }) => proposals.filter((each) => each.page === one).map(({ word }) => word)),
    ...(one.edit ? [one.edit.author] : []),
  ])

const around = (text: string, word: string): string => {
  const at = text.toLowerCase().indexOf(word)
  return at < 0 ? '(encoded or in a header)' : `…${text.slice(Math.max(0, at - 200), at + 100)}…`
}

/** A response equals that of a missing page in status, headers and bytes, except for the words of the request. */
export function judgeTwin(
  told: Told,
  twin: Told,
  words: ReadonlyMap<string, string>,
  reflects = told.text !== twin.text,
): void {
  const back = new Map([...words].map(([from, to]) => [to, from]))
  const without = reflects ? ['etag', 'content-length'] : []
  if (told.status !== twin.status) throw new Leak(`status ${told.status}, but ${twin.status} if it does not exist`)
  const [ours, theirs] = [
    headerLines(told, without),
    headerLines(twin, without).map((line) => replaceWords(line, back)),
  ]
  const odd = ours.find((line) => !theirs.includes(line)) ?? theirs.find((line) => !ours.includes(line))
  if (odd) throw new Leak(`the header ${odd} differs from the response for something that does not exist`)
  const [text, other] = [withoutReflections(told.text), withoutReflections(replaceWords(twin.text, back))]
  if (text !== other)
    throw new Leak(`the bytes differ from those for something that does not exist:\n${difference(text, other)}`)
}

/**
 * The field of the search form repeats the request, in pieces. Which pages are similar depends on the letters of the path
 * (docs/design/visitors.md), and the twin has others. `leaks.test.ts` compares the bytes for the same path.
 */
const withoutReflections = (text: string): string =>
  text.replace(/(name="q" value=)"[^"]*"/, '$1').replace(/<h2>[^<]*<\/h2><ul class="linklist">.*?<\/ul>/s, '')

export function difference(one: string, other: string): string {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return `…${one.slice(Math.max(0, at - 120), at + 160)}…\n…${other.slice(Math.max(0, at - 120), at + 160)}…`
}

/** Shared caches may store only responses of sites that are the same for everyone. */
export function judgeCaching(told: Told, request: Request, view: View): void {
  const { headers, status } = told
  if (status >= 500) throw new Leak(`status ${status}`)
  const control = headers['cache-control'] ?? ''
  const { site } = view
  const shared = view.admitted && !site.adaptive && ['public', 'unlisted'].includes(site.visibility)
  if (!shared || view.preview) {
    if (/public|s-maxage/.test(control) || (status === 200 && !/private|no-store/.test(control)))
      throw new Leak(`Cache-Control of a site that is not the same for everyone: ${control}`)
  } else {
    const isPage = /^(?:text\/html|text\/markdown)/.test(headers['content-type'] ?? '') && request.method === undefined
    if (isPage && told.text.includes(site.title) && /cookie/i.test(headers.vary ?? ''))
      throw new Leak(`Cookie in Vary of a public site, status ${status}, ${control}`)
    if (headers['set-cookie']) throw new Leak('a cookie of a public site')
  }
  if (view.preview && status === 200 && !/no-store/.test(control))
    throw new Leak(`Cache-Control of a preview: ${control}`)
}

/** The same request of visitors with the same outcome gets the same response, in any order. */
export class Remembered {
  readonly #told = new Map<string, { digest: string; text: string; by: string }>()

  check(key: string, told: Told, by: string): void {
    const before = this.#told.get(key)
    const now = digest(told)
    if (before === undefined) this.#told.set(key, { digest: now, text: `${headerLines(told)}\n${told.text}`, by })
    else if (before.digest !== now)
      throw new Leak(
        `differs from the response before, to ${before.by}:\n${difference(`${headerLines(told)}\n${told.text}`, before.text)}`,
      )
  }

  clear(): void {
    this.#told.clear()
  }
}
