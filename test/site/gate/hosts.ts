/** Host names that lead to another organization or nowhere, and the moves of host names between sites. */
import { pick } from '../../simulation/two-sided/random.js'
import type { Place } from './addresses.js'
import { call } from './build.js'
import { wordsIn } from './canaries.js'
import { judgeTwin, Leak } from './judge.js'
import { askedOf, type Combination, send, type Situation } from './send.js'
import type { Site, World } from './world.js'

const defined = <T>(all: readonly (T | null)[]): T[] => all.flatMap((one) => (one === null ? [] : [one]))

/** The host names at which the site of the other organization is. */
const rivalHosts = ({ rival, wildcard }: World): string[] =>
  defined([rival.customHostname, rival.site.hostname, wildcard === null ? null : `${rival.hostname}.${wildcard}`])

const ownHosts = ({ main, other, customHostname, hostname, wildcard }: World): string[] =>
  defined([main.hostname, other.hostname, customHostname, wildcard === null ? null : `${hostname}.${wildcard}`])

/** Host names at which no site is: earlier ones, and others that resemble one. */
function emptyHosts(world: World): string[] {
  const { organization, hostname, wildcard, word } = world
  return [
    ...world.earlierHosts,
    ...world.earlierHosts,
    ...ownHosts(world).flatMap((one) => [`www.${one}`, `${one}.example.org`, `${one}..`, one.replace('.', '%2E')]),
    ...(wildcard === null ? [] : [`${organization}.${wildcard}`, `${word()}.${wildcard}`, `.${wildcard}`]),
    hostname,
    `${word()}.example.net`,
  ]
}

/** At a host name of others, or of no one, nothing of this organization appears. */
export async function judgeForeignHost(situation: Situation, one: Combination): Promise<void> {
  const { world } = situation
  const rivals = rivalHosts(world)
  const host = pick(world.next, world.next(2) === 0 ? rivals : emptyHosts(world)) ?? ''
  const prefix = pick(world.next, ['', `/${one.site.basename}`]) ?? ''
  const place: Place = { name: 'foreign', host, prefix, base: prefix }
  const asked = askedOf(world, one, world.next(3) === 0 ? { ...place, target: `http://${host}` } : place)
  const told = await send(situation, asked)
  const where = `at ${host}${prefix}, status ${told.status}`
  const repeated = wordsIn(`${asked.path}\n${asked.body ?? ''}`)
  const isRival = rivals.includes(host)
  for (const word of wordsIn(`${told.text}\n${told.raw.join('\n')}`))
    if (one.reach.has(word) && !repeated.has(word) && !(isRival && rivalWords(world).has(word)))
      throw new Leak(`the response contains ${word} ${where}`)
  await judgeCertificate(situation, host, isRival)
  if (isRival) return
  const headers = { ...asked.headers, Host: `${world.word()}.example.net` }
  const path = asked.path.startsWith('/') ? asked.path : asked.path.replace(/^http:\/\/[^/]*/, '')
  judgeTwin(told, await send(situation, { ...asked, path, headers }), new Map())
}

const rivalWords = ({ rival, main }: World): Set<string> =>
  wordsIn([...rival.words, ...rival.paths, main.basename, rival.site.hostname, rival.customHostname].join(' '))

/** A proxy gets certificates for the host names of sites, and for no others. */
async function judgeCertificate(situation: Situation, host: string, isHeld: boolean): Promise<void> {
  const path = `/~host?domain=${encodeURIComponent(host)}`
  const { status } = await send(situation, { path, headers: { Host: '127.0.0.1' } })
  if (status !== (isHeld ? 200 : 404)) throw new Leak(`status ${status} for a certificate of ${host}`)
}

/** Moves a host name between sites and organizations, or gives it up. */
export async function changeHosts(situation: Situation, site: Site): Promise<object> {
  const { world } = situation
  const { next, rival } = world
  const other = site === world.main ? world.other : world.main
  const some = (): string =>
    pick(next, next(3) > 0 ? world.earlierHosts : []) ?? `${world.word()}.example.${next(2) === 0 ? 'net' : 'com'}`
  const { hostname } = site
  switch (next(6)) {
    case 0:
      await setHost(situation, site, 'hostname', some())
      break
    case 1:
      await setHost(situation, site, 'hostname', null)
      break
    case 2:
      await setHost(situation, site, 'hostname', null)
      await setHost(situation, other, 'hostname', hostname ?? some())
      break
    case 3:
      await setHost(situation, world, 'customHostname', next(2) === 0 ? null : some())
      break
    case 4:
      await setHost(situation, rival.site, 'hostname', some())
      break
    default:
      await setHost(situation, site, 'hostname', null)
      await setHost(situation, rival, 'customHostname', hostname ?? some())
  }
  return {}
}

/** Sets a host name in the service and in the model. */
async function setHost<Name extends 'hostname' | 'customHostname'>(
  { here, world }: Situation,
  owner: { api: string } & Record<Name, string | null>,
  name: Name,
  host: string | null,
): Promise<void> {
  await call(here, 'patch', owner.api, { [name]: host })
  const before: string | null = owner[name]
  Object.assign(owner, { [name]: host })
  world.earlierHosts = world.earlierHosts.filter((one) => one !== host)
  if (before !== null && before !== host) world.earlierHosts.push(before)
}
