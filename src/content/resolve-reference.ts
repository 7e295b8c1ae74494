// Resolves a link or an include in a file to its target.
import { findTarget, withLinks } from './file-index.js'
import { folderOf } from './paths.js'
import type { ContentStructure, PageEntry } from './types.js'

/** The target of a reference. Paths start at the repository's root. */
export type ResolvedReference =
  /** A page of the table of contents, or an anchor in it. */
  | { kind: 'page'; gitPath: string; anchor?: string; entry: PageEntry }
  /** An anchor in the page that contains the target ('' = its top). */
  | { kind: 'anchor'; gitPath: string; anchor: string }
  /** A file of the repository that is not a page; reusable content and unlisted markdown are such files. */
  | { kind: 'file'; gitPath: string; anchor?: string }
  | { kind: 'url'; url: string }
  | { kind: 'mailto'; url: string }
  /** A URL with a scheme that is not safe to follow (`javascript:`, `data:` …). */
  | { kind: 'unsafe'; url: string }
  /** A target that does not exist. `page` is the ID in `/broken/pages/<id>`. */
  | { kind: 'broken'; page?: string }

const SCHEME = /^([a-z][a-z0-9+.-]*):/i
const SAFE = new Set(['http', 'https', 'ftp', 'ftps', 'tel', 'sms', 'irc', 'ircs', 'xmpp', 'slack', 'vscode', 'mailto'])

/**
 * Resolves a target that is written in the file `fromGitPath`. It is relative to that file's folder, or with a leading
 * slash to the effective root. `.md` and a folder's README may be omitted. A page may be named by the HTML file that a
 * book tool generates from it. `/pages/<id or path>` refers to a page.
 * @param exists whether the repository has a file at a path
 */
export function resolveReference(
  target: string,
  fromGitPath: string,
  structure: ContentStructure,
  exists: (gitPath: string) => boolean,
): ResolvedReference {
  const text = target.trim()
  const find = (path: string): string | null =>
    findTarget(path, folderOf(fromGitPath), structure.config.root, withLinks(structure.symlinks, exists))
  if (text.startsWith('//')) return { kind: 'url', url: text }
  const scheme = SCHEME.exec(text)?.[1]?.toLowerCase()
  // A file may have a name like `a:b.md`.
  if (scheme !== undefined && !(text.endsWith('.md') && find(text))) {
    return { kind: scheme === 'mailto' ? 'mailto' : SAFE.has(scheme) ? 'url' : 'unsafe', url: text }
  }
  const broken = /^(?:\/broken\/pages\/([^/#?]*)|\/broken\/|broken-reference(?:[/#?]|$))/.exec(text)
  if (broken) return { kind: 'broken', ...(broken[1] ? { page: broken[1] } : {}) }
  if (text.startsWith('#')) return { kind: 'anchor', gitPath: fromGitPath, anchor: text.slice(1) }
  if (text === '') return { kind: 'broken' }

  for (const [path, anchor] of spellings(text)) {
    const gitPath = find(path)
    const named = anchor === '' ? {} : { anchor }
    const entry = gitPath === null ? findByPagePath(path, structure) : structure.byGitPath.get(gitPath)
    if (entry?.type === 'document') return { kind: 'page', gitPath: entry.gitPath, ...named, entry }
    if (gitPath !== null) return { kind: 'file', gitPath, ...named }
    for (const source of sourcesOf(path)) {
      const page = structure.byGitPath.get(find(source) ?? '')
      if (page?.type === 'document') return { kind: 'page', gitPath: page.gitPath, ...named, entry: page }
    }
  }
  return { kind: 'broken' }
}

/** Returns the markdown files from which HonKit and mdBook generate the file at a path, if it is an HTML file. */
function sourcesOf(path: string): string[] {
  const [, folder, name] = /^(.*\/)?([^/]+)\.html$/i.exec(path) ?? []
  if (name === undefined) return []
  return [...(name.toLowerCase() === 'index' ? ['README.md'] : []), `${name}.md`].map((file) => (folder ?? '') + file)
}

/** Splits a target into path and anchor: first as if `#` and `?` were part of the file's name, then as in a URL. */
function* spellings(text: string): Generator<[path: string, anchor: string]> {
  const hash = text.indexOf('#')
  if (hash < 0 && !text.includes('?')) return yield [text, '']
  yield [text, '']
  const path = hash < 0 ? text : text.slice(0, hash)
  yield [path.replace(/\?.*$/s, ''), hash < 0 ? '' : text.slice(hash + 1)]
}

function findByPagePath(path: string, structure: ContentStructure): PageEntry | undefined {
  if (!path.startsWith('/pages/')) return undefined
  const name = path.slice('/pages/'.length).replace(/\/+$/, '')
  return structure.byId.get(name) ?? structure.byPath.get(name) ?? structure.byPath.get(name.replace(/\.md$/, ''))
}
