/** Finds files like tools that read a repository from disk: through symbolic links, and settings in any case. */
import { required } from '../kernel/defined.js'
import { filterInSlices } from '../kernel/slices.js'
import { folderOf } from './paths.js'
import { isFile, readBounded } from './read-file.js'
import type { ReaderEntry, Symlinks, TreeReader } from './types.js'

/** Maximum number of links that are followed for one path. Linux allows 40. */
const MAX_HOPS = 40
/** Maximum number of names that are looked up for one path. */
const MAX_NAMES = 256
/** Maximum length of a link's target in bytes, as on Linux. */
const MAX_TARGET_BYTES = 4096
/** Maximum number of links in a repository that are followed. */
const MAX_LINKS = 1000

/** Whether the entry is a symbolic link. */
export const isSymlink = ({ mode }: Pick<ReaderEntry, 'mode'>): boolean => mode === '120000'

type Reader = Pick<TreeReader, 'entry' | 'list' | 'read'>

const ROOT: ReaderEntry = { path: '', mode: '040000', oid: '' }

/**
 * Returns the file or folder at a path, with all symbolic links resolved. Returns null if it does not exist, or if a
 * link points out of the repository or in a circle.
 */
export async function followLinks(reader: Reader, path: string): Promise<ReaderEntry | null> {
  const ahead = path.split('/').reverse()
  const done: string[] = []
  let found: ReaderEntry | null = ROOT
  for (let hops = 0, names = 0; ahead.length > 0; ) {
    const name = required(ahead.pop())
    if (name === '' || name === '.') continue
    if (++names > MAX_NAMES) return null
    if (name === '..') {
      if (done.pop() === undefined) return null
      found = done.length === 0 ? ROOT : await reader.entry(done.join('/'))
      continue
    }
    found = await reader.entry([...done, name].join('/'))
    if (found === null) return null
    if (!isSymlink(found)) {
      done.push(name)
      continue
    }
    const target = ++hops > MAX_HOPS ? null : await readTarget(reader, found)
    if (target === null || target.startsWith('/')) return null
    ahead.push(...target.split('/').reverse())
  }
  return found
}

/** Returns the text of a symbolic link; null if it is too long for one. */
export async function readTarget(reader: Pick<TreeReader, 'read'>, link: ReaderEntry): Promise<string | null> {
  const bytes = await readBounded(reader, link.oid, MAX_TARGET_BYTES)
  return bytes === null || bytes.byteLength > MAX_TARGET_BYTES ? null : Buffer.from(bytes).toString('utf8')
}

/**
 * Finds the README or SUMMARY that the settings name: its name in any case, and through symbolic links to a file of the repository. `link` is the
 * path that was found, if the file is elsewhere. A file that does not exist keeps the path of the settings.
 */
export async function findInAnyCase(reader: Reader, path: string): Promise<{ path: string; link?: string }> {
  const spelled = await spelledAs(reader, path)
  const entry = await reader.entry(spelled)
  if (entry && !isSymlink(entry)) return { path: spelled }
  const real = await followLinks(reader, spelled)
  return real && isFile(real) ? { path: real.path, link: spelled } : { path: spelled }
}

/** Returns the path in the repository's spelling, if no file has exactly the given name. */
async function spelledAs(reader: Reader, path: string): Promise<string> {
  const exact = await reader.entry(path)
  if (exact && exact.mode !== ROOT.mode) return path
  const folded = path.toLowerCase()
  const found = ((await reader.list(folderOf(path))) ?? []).filter(
    (entry) => entry.mode !== ROOT.mode && entry.path.length === path.length && entry.path.toLowerCase() === folded,
  )
  return found.map((entry) => entry.path).sort()[0] ?? path
}

/** Resolves the links among `entries`, up to `MAX_LINKS` of them. */
export async function readSymlinks(reader: Reader, entries: readonly ReaderEntry[]): Promise<Symlinks> {
  const links = new Map<string, string | null>()
  for (const { path } of (await filterInSlices(entries, isSymlink)).slice(0, MAX_LINKS))
    links.set(path, (await followLinks(reader, path))?.path ?? null)
  return links
}

/** Resolves `path` through symbolic links. Returns null if it contains no link, or if a link points to nothing. */
export function throughLinks(links: Symlinks, path: string): string | null {
  if (links.size === 0) return null
  let at = path
  for (let hops = 0; hops <= MAX_HOPS; hops++) {
    const link = firstLinkOn(links, at)
    if (link === null) return hops === 0 ? null : at
    const target = links.get(link)
    if (target === null || target === undefined) return null
    at = [target, at.slice(link.length + 1)].filter((part) => part !== '').join('/')
  }
  return null
}

/** Returns the first symbolic link on a path, which may be the path itself. */
export function firstLinkOn(links: Symlinks, path: string): string | null {
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1))
    if (links.has(path.slice(0, end))) return path.slice(0, end)
  return links.has(path) ? path : null
}
