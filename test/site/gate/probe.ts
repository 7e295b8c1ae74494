/** One combination: a visitor asks for an output of a site at one of its addresses, and the response is judged. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { pick } from '../../simulation/two-sided/random.js'
import { PLAIN, type Place, placesOf, SPELLINGS, type Spelling } from './addresses.js'
import { type Asked, headerLines, type Told } from './ask.js'
import { replaceWords, wordsIn } from './canaries.js'
import { judgeComplete } from './complete.js'
import { assetFile } from './content.js'
import { judgeForeignHost } from './hosts.js'
import { difference, judgeCaching, judgeTwin, judgeWords, Leak } from './judge.js'
import { findable, maySeePart, reaches } from './oracle.js'
import { OUTPUTS, requestOf } from './outputs.js'
import { askedOf, type Combination, send, type Situation } from './send.js'
import { isLost, outcomeOf, PRIVILEGED, someVisitor, viewOf } from './visitors.js'
import { type Asset, type Page, type Part, type Site, siteSpacesOf } from './world.js'

const describe = ({ visitor, place, request, spelling, site, view }: Combination): string =>
  JSON.stringify(
    {
      request,
      spelling: spelling.name,
      place,
      visitor,
      site: {
        visibility: site.visibility,
        published: site.published,
        adaptive: site.adaptive,
        excluded: site.excluded,
      },
      view: { admitted: view.admitted, claims: view.claims, preview: view.preview },
    },
    (key, value) => (key === 'page' && value ? { slug: value.slug, id: value.id } : value),
  )

/** Plays one random combination. Throws a `Leak` with the data to repeat it. */
export async function playCombination(situation: Situation, near?: { page?: Page; part?: Part }): Promise<void> {
  const one = combine(situation, near)
  try {
    await play(situation, one)
  } catch (thrown) {
    if (!(thrown instanceof Leak)) throw thrown
    throw new Leak(`${thrown.message}\n${describe(one)}`, { cause: thrown })
  }
}

function combine({ world, here, seen }: Situation, near: { page?: Page; part?: Part } = {}): Combination {
  const { next } = world
  const hits = (site: Site) => siteSpacesOf(site).filter(({ space }) => !near.page || space?.pages.includes(near.page))
  const site = next(4) > 0 && hits(world.main).length > 0 ? world.main : world.other
  const visitor = someVisitor(next)
  const view = viewOf(world, site, visitor)
  const reach = reaches(world, view)
  const part = pick(next, hits(site).length > 0 ? hits(site) : siteSpacesOf(site)) as Part
  const page =
    near.page && part.space?.pages.includes(near.page) ? near.page : (pick(next, part.space?.pages ?? []) as Page)
  const spelling = next(2) === 0 ? PLAIN : (pick(next, SPELLINGS) as Spelling)
  const word = pick(next, next(2) === 0 ? page.words : [...reach.keys()]) as string
  const known =
    pick(
      next,
      seen.filter((other) => other.site === site),
    )?.path ?? ''
  const output = pick(next, OUTPUTS) as (typeof OUTPUTS)[number]
  const request = requestOf(output, { world, site, view, part, page, spelling, seen: known, word })
  if (isLost(visitor)) Object.assign(request, { lost: false, arrives: false, page: null })
  const place = pick(next, placesOf(world, site, here.port)) as Place
  return { site, visitor, view, reach, place, request, spelling }
}

/** A site that excludes programs has no output for them. */
function judgeExcluded({ request, view }: Combination, told: Told): void {
  if (/^text\/markdown/.test(told.headers['content-type'] ?? ''))
    throw new Leak('markdown of a site that excludes programs')
  const isOff = request.output !== 'negotiated markdown'
  if (isOff && view.admitted && told.status !== 404)
    throw new Leak(`status ${told.status} of a site that excludes programs`)
}

async function play(situation: Situation, one: Combination): Promise<void> {
  const { world } = situation
  const { request, view, reach, site, visitor, place } = one
  const asked = askedOf(world, one)
  if (world.next(2) === 0)
    await send(situation, askedOf(world, { ...one, visitor: { ...PRIVILEGED, preview: visitor.preview } }))
  const told = await send(situation, asked)
  judgeCaching(told, request, view)
  judgeWords(told, request, asked.path, reach, world)
  const key = JSON.stringify([
    outcomeOf(view),
    place,
    asked.path,
    asked.method,
    request.headers,
    [...view.lacks].map(({ id }) => id),
  ])
  if (request.method === undefined) situation.remembered.check(key, told, JSON.stringify(visitor))
  if (request.lost) await judgeLost(situation, one, asked, told)
  if (!view.admitted && told.status === 404 && view.preview === null) await judgeSiteTwin(situation, one, asked, told)
  if (request.isForPrograms && site.excluded) judgeExcluded(one, told)
  if (request.file && !request.lost && !isLost(visitor)) judgeFile(request.file, told)
  if (request.arrives) await judgeArrival(situation, one, told)
  // A value that does not look like a visitor's token counts as a member's token.
  const isRefused = told.status === 401 && visitor.way === 'header' && visitor.token === 'alg-none'
  if (!isLost(visitor) && !(request.isForPrograms && site.excluded) && !isRefused) judgeComplete(told, request, view)
  if (/^search (?:page|data) for all$/.test(request.output) && view.admitted && !isLost(visitor)) judgeFound(one, told)
  if (request.method === undefined && world.next(3) === 0) await judgeConditional(situation, asked, told)
  if (request.method === undefined && world.next(3) === 0) await judgePlaces(situation, one, told)
  if (world.next(4) === 0) await judgeForeignHost(situation, one)
  if (visitor.preview === 'none') keepSeen(situation, one, told)
}

/** The path that links of the site start with, as this visitor uses it. A preview never leads through the proxy. */
const baseOf = ({ visitor, place }: Combination, { prefix, base }: Place = place): string =>
  visitor.preview === 'none' ? base : prefix

/** A file is sent to those who know its address from a page, and may see its part of the site. */
function judgeFile({ words }: Asset, told: Told): void {
  const isSent = told.status === 200
  if (isSent !== told.text.includes(words[0] as string)) throw new Leak(`a file with the status ${told.status}`)
}

/** Sends the same request with other words instead of hidden ones. */
async function judgeLost(situation: Situation, one: Combination, asked: Asked, told: Told): Promise<void> {
  const { request, reach } = one
  const words = new Map<string, string>()
  for (const word of wordsIn(`${request.path}\n${request.body ?? ''}`))
    if (reach.get(word) !== 'listed') words.set(word, situation.world.word())
  if (request.page?.id && `${request.path}${request.body ?? ''}`.includes(request.page.id))
    words.set(request.page.id, otherId(request.page.id))
  if (words.size === 0) return
  const twin = {
    ...asked,
    path: replaceWords(asked.path, words),
    ...(asked.body === undefined ? {} : { body: replaceWords(asked.body, words) }),
  }
  const other = await send(situation, twin)
  judgeTwin(told, other, words)
  if (request.method !== undefined) return
  const [tag = '*'] = situation.tags.get(`${asked.headers?.Host} ${asked.path}`) ?? []
  for (const more of [
    { method: 'HEAD' },
    { headers: { ...asked.headers, 'If-None-Match': tag, Range: 'bytes=0-3' } },
  ]) {
    const [ours, theirs] = [await send(situation, { ...asked, ...more }), await send(situation, { ...twin, ...more })]
    judgeTwin(ours, theirs, words, told.text !== other.text)
  }
}

const otherId = (id: string): string => [...id].reverse().join('')

/** A site that a visitor may not enter looks like a missing site. */
async function judgeSiteTwin(
  situation: Situation,
  { place, site }: Combination,
  asked: Asked,
  told: Told,
): Promise<void> {
  if (asked.path.includes('?') && site.visibility !== 'share-link') return
  const words = new Map([
    [place.prefix === '' ? (site.hostname?.split('.')[0] as string) : site.basename, situation.world.word()],
  ])
  const headers = { ...asked.headers, Host: replaceWords(place.host, words) }
  judgeTwin(told, await send(situation, { ...asked, headers, path: replaceWords(asked.path, words) }), words)
}

/** Follows redirects to a page, which must be the requested one. */
async function judgeArrival(situation: Situation, one: Combination, first: Told): Promise<void> {
  const { request, view } = one
  let told = first
  const asked = askedOf(situation.world, one)
  for (let hops = 0; hops < 4 && told.status >= 300 && told.status < 400 && told.status !== 304; hops++) {
    const to = told.headers.location ?? ''
    const base = baseOf(one)
    if (!to.startsWith('/')) throw new Leak(`a redirect leads away from the host name: ${to}`)
    if (!to.startsWith(base)) throw new Leak(`a redirect leads away from the site: ${to} is not below ${base}`)
    told = await send(situation, {
      ...asked,
      path: `${one.place.target ?? ''}${one.place.prefix}${to.slice(base.length)}`,
    })
    judgeWords(told, request, asked.path, one.reach, situation.world)
    judgeCaching(told, request, view)
  }
  const page = request.page as Page
  if (told.status !== 200) throw new Leak(`a page that the visitor may read: status ${told.status}`)
  if (!told.text.includes(page.text)) throw new Leak('a page that the visitor may read: its text is missing')
  for (const { condition, word } of page.blocks)
    if (condition.holds(view.claims) && !told.text.includes(word))
      throw new Leak('a block that the visitor may read is missing')
}

/** Maximum number of pages of one space that a search shows. */
const MAX_FOUND = 8

/** A search for a word of all texts finds exactly the pages that the visitor may find. Of variants, it searches one. */
function judgeFound({ view, site }: Combination, told: Told): void {
  if (told.status !== 200) throw new Leak(`a search has the status ${told.status}`)
  if (view.preview === 'change-request') return
  const main = /<main[\s\S]*<\/main>/.exec(told.text)?.[0] ?? told.text
  const found = wordsIn(main)
  const variants = (part: Part): Part[] =>
    siteSpacesOf(site).filter((one) => one.above === part.above && maySeePart(view, one))
  let expected = 0
  for (const part of siteSpacesOf(site)) {
    const may = findable(view, part)
    if (variants(part).length === 1 && may.length <= MAX_FOUND) expected += may.length
    for (const page of part.space?.pages ?? []) {
      const does = found.has(page.text)
      if (does && !may.includes(page)) throw new Leak(`search finds ${page.text}`)
      if (
        !does &&
        !found.has(page.words[1] as string) &&
        may.includes(page) &&
        variants(part).length === 1 &&
        may.length <= MAX_FOUND
      )
        throw new Leak(`search does not find ${page.text}`)
    }
  }
  if (siteSpacesOf(site).every((part) => variants(part).length <= 1 && findable(view, part).length <= MAX_FOUND))
    if (!new RegExp(`\\b${expected === 0 ? 'No ' : expected}\\b`).test(main))
      throw new Leak(`search does not state ${expected} results`)
}

/** HEAD, ranges and ETags of others: a 304 means that this visitor has these very bytes. */
async function judgeConditional(situation: Situation, asked: Asked, told: Told): Promise<void> {
  const key = `${asked.headers?.Host} ${asked.path}`
  const tags = situation.tags.get(key) ?? new Set()
  situation.tags.set(key, tags)
  const own = told.headers.etag
  for (const tag of [...tags].filter((other) => other !== own).slice(0, 3)) {
    const again = await send(situation, { ...asked, headers: { ...asked.headers, 'If-None-Match': tag } })
    if (again.status !== told.status) throw new Leak(`status ${again.status} with the ETag ${tag} of another visitor`)
    if (again.text !== told.text) throw new Leak('other bytes with the ETag of another visitor')
  }
  if (own) {
    tags.add(own)
    const again = await send(situation, { ...asked, headers: { ...asked.headers, 'If-None-Match': own } })
    if (told.status === 200 && again.status !== 304) throw new Leak(`status ${again.status} with the own ETag`)
    if (again.body.length > 0) throw new Leak('a body with status 304')
  }
  const head = await send(situation, { ...asked, method: 'HEAD' })
  const [short, whole] = [head, told].map((one) => headerLines(one, ['transfer-encoding']).join('\n')) as [
    string,
    string,
  ]
  if (head.status !== told.status || short !== whole)
    throw new Leak(`HEAD differs from GET: ${difference(short, whole)}`)
  await judgeVariants(situation, asked, told)
}

/** The decision is the same at every address of the site. */
async function judgePlaces(situation: Situation, one: Combination, told: Told): Promise<void> {
  const { world, here } = situation
  const other = pick(world.next, placesOf(world, one.site, here.port)) as Place
  // The root of a host name has an answer for robots, also without a site.
  if (one.request.output === 'robots' && !one.view.admitted) return
  const there = await send(situation, askedOf(world, one, other))
  if (there.status !== told.status)
    throw new Leak(`status ${told.status} here, ${there.status} at ${JSON.stringify(other)}`)
  const [ours, theirs] = [wordsIn(told.text), wordsIn(there.text)]
  for (const word of [...ours, ...theirs])
    if (one.reach.has(word) && !(ours.has(word) && theirs.has(word)) && word !== one.site.basename)
      throw new Leak(`${word} stands only in the response of one address, not at ${JSON.stringify(other)}`)
  const [to, thereTo] = [told.headers.location ?? '', there.headers.location ?? '']
  const below = (location: string, place: Place) => {
    const base = baseOf(one, place)
    // Only the root of a host name has a slash at the end.
    return location.startsWith(base) ? location.slice(base.length).replace(/^\/$/, '') : location
  }
  if (below(to, one.place) !== below(thereTo, other)) throw new Leak(`leads to ${to} here, to ${thereTo} there`)
}

/** Records the addresses in responses, so that other visitors request them too. */
function keepSeen({ seen, world }: Situation, one: Combination, told: Told): void {
  const { site } = one
  const base = baseOf(one)
  const found = [...told.text.matchAll(/(?:href|src|action)="([^"#]+)"/g)].map(([, path]) => path as string)
  const ours = found.filter((path) => path.startsWith(`${base}/`) && !path.includes('~assets/'))
  for (const path of ours) noteFile(site, path.slice(base.length + 1))
  const path = world.next(4) === 0 && pick(world.next, ours)
  if (path) seen.push({ site, path: path.slice(base.length + 1).replaceAll('&amp;', '&') })
  if (seen.length > 300) seen.splice(0, 100)
}

/** Notes the signature of a file in a link, so that everyone asks for the file. */
function noteFile(site: Site, path: string): void {
  const [, above, signature = '', name = ''] = /^(.*?)\/?~files\/([\w-]+)\/(.+)$/.exec(path) ?? []
  const part = siteSpacesOf(site).find(({ address }) => address === above)
  part?.space?.files.find((one) => assetFile(one) === name)?.signatures.set(part.id, signature)
}

/** Ranges, dates and encodings: each response is the whole one, a part of it, or no body. */
async function judgeVariants(situation: Situation, asked: Asked, told: Told): Promise<void> {
  const sendWith = (headers: Record<string, string>) =>
    send(situation, { ...asked, headers: { ...asked.headers, ...headers } })
  const { next } = situation.world
  const from = next(Math.max(1, told.body.length))
  const range = pick(next, ['bytes=0-9', `bytes=${from}-`, 'bytes=-7', `bytes=${from}-${from}`, 'bytes=0-1,4-5']) ?? ''
  const part = await sendWith({ Range: range })
  if (part.status === 206) {
    const [, start = 0, end = -1] = /^bytes (\d+)-(\d+)\//.exec(part.headers['content-range'] ?? '') ?? []
    const expected = told.body.subarray(Number(start), Number(end) + 1)
    if (told.status !== 200 || !expected.equals(part.body)) throw new Leak(`the range ${range} contains other bytes`)
  } else if (part.status !== 416 && part.status !== told.status) throw new Leak(`status ${part.status} for a range`)
  const whole = await sendWith({ Range: range, 'If-Range': '"another"' })
  if (whole.status !== told.status) throw new Leak(`status ${whole.status} for a range of another version`)
  const since = await sendWith({ 'If-Modified-Since': new Date(Date.now() + 86_400_000).toUTCString() })
  if (since.status !== told.status && (since.status !== 304 || !told.headers['last-modified']))
    throw new Leak(`status ${since.status} with a date`)
  const coding = pick(next, ['gzip', 'br']) as 'gzip' | 'br'
  const packed = await sendWith({ 'Accept-Encoding': coding })
  const plain = packed.headers['content-encoding'] === undefined ? packed.body : UNPACK[coding](packed.body)
  if (packed.status !== told.status || !plain.equals(told.body)) throw new Leak(`other bytes with ${coding}`)
  const any = await sendWith({ 'If-None-Match': '*' })
  if (any.status !== 304 && any.status !== told.status) throw new Leak(`status ${any.status} with any ETag`)
  if (any.status === 304 && told.status !== 200) throw new Leak(`status 304 for what has the status ${told.status}`)
}

const UNPACK = { gzip: gunzipSync, br: brotliDecompressSync }
