/** Reads the configuration of a repository: the folder of its pages, its table of contents, and redirects. */
import type { Diagnostic } from '../kernel/diagnostic.js'
import { DEFAULT_SUMMARY, HONKIT_FILE } from './known-files.js'
import { findSettings, type Settings, type UnlistedReadme } from './settings-file.js'
import { decodePercent, isMarkdown, normalizePath } from './paths.js'
import { isFile } from './read-file.js'
import { findInAnyCase, followLinks } from './symlinks.js'
import { withoutZeroWidth } from './text.js'
import type { ContentConfig, ContentStructure, DocumentEntry, TreeReader } from './types.js'
import type { TextWork } from './work/text-work.js'
import type { LineColumn } from './yaml-work.js'
import { isRecord } from '../kernel/guards.js'

const FOLDER = '040000'

/** Adds a diagnostic about the file of the settings. */
type Report = (code: Diagnostic['code'], message: string, position?: LineColumn) => void

/** Returns a scalar as a path: trimmed, without zero-width characters; null for other values. */
const asPath = (value: unknown): string | null =>
  typeof value === 'string' || typeof value === 'number' ? withoutZeroWidth(String(value)).trim() : null

/**
 * Reads the configuration (`.gitbook.yaml`, or that of mdBook or HonKit): the effective root, the paths of README and
 * SUMMARY (relative to that root), and redirects. An invalid setting gives a diagnostic and falls back to its default.
 * Invalid files never make this throw.
 */
export async function readConfig(
  reader: TreeReader,
  work: Pick<TextWork, 'yaml' | 'toml'>,
): Promise<{ config: ContentConfig; diagnostics: Diagnostic[]; unlistedReadme: UnlistedReadme }> {
  const diagnostics: Diagnostic[] = []
  const settings = await findSettings(reader, work, diagnostics)
  const { entries } = settings
  const report: Report = (code, message, position) =>
    void diagnostics.push({
      code,
      message,
      file: settings.file,
      ...(position ? { line: position.line, column: position.column } : {}),
    })

  const root = await readRoot(reader, settings, report)
  const pathOf = structureReader(settings, root, report)
  const readme = await findInAnyCase(reader, pathOf('readme', 'README.md'))
  const summary = await findInAnyCase(reader, pathOf('summary', DEFAULT_SUMMARY))
  const config: ContentConfig = {
    root,
    readme: readme.path,
    summary: summary.path,
    ...(summary.link ? { summaryLink: summary.link } : {}),
    redirects: {},
  }
  const redirects = entries.get('redirects')
  if (redirects && redirects.value !== null) {
    if (!isRecord(redirects.value))
      report(
        'invalid-config',
        'redirects must be a map from old paths to pages, so there are none. Write one "old/path: page.md" per line.',
        redirects.position,
      )
    else
      config.redirects = await readRedirects(reader, root, redirects.value, (message) =>
        report('invalid-config', message, redirects.position),
      )
  }
  if (settings.file === HONKIT_FILE) await reportLanguages(reader, config, entries.get('structure')?.value, diagnostics)
  return { config, diagnostics, unlistedReadme: settings.unlistedReadme }
}

/** Returns a function that reads a path from the setting `structure`. An invalid path falls back to its default. */
function structureReader({ entries }: Settings, root: string, report: Report) {
  const structure = entries.get('structure')
  if (structure && structure.value !== null && !isRecord(structure.value))
    report(
      'invalid-config',
      'structure must be a map with readme and summary, so the defaults are used. Correct structure.',
      structure.position,
    )
  return (name: 'readme' | 'summary', fallback: string): string => {
    const value = isRecord(structure?.value) && Object.hasOwn(structure.value, name) ? structure.value[name] : null
    const written = value === null ? fallback : asPath(value)
    const path = written === null || written === '' ? null : normalizePath(written, root)
    if (path !== null && path !== root) return path
    report(
      'invalid-config',
      `structure.${name} must be a file inside the repository, so ${fallback} is used. Correct structure.${name}.`,
      structure?.position,
    )
    return normalizePath(fallback, root) ?? fallback
  }
}

/** Returns the effective root. A missing folder is used as written. */
async function readRoot(
  reader: TreeReader,
  { rootName, rootDefault, entries }: Settings,
  report: Report,
): Promise<string> {
  const entry = entries.get('root')
  const written = entry && entry.value !== null ? asPath(entry.value) : rootDefault
  const path = written === null ? null : normalizePath(written)
  const instead = rootDefault === '' ? 'the repository’s root' : rootDefault
  if (path === null)
    report(
      'invalid-root',
      `${rootName} must be a folder inside the repository, so ${instead} is used. Correct ${rootName}.`,
      entry?.position,
    )
  const root = path ?? rootDefault
  if (root === '' || (await isFolder(reader, root))) return root
  const linked = await followLinks(reader, root)
  if (linked?.mode === FOLDER) return linked.path
  report(
    'invalid-root',
    `${rootName} is ${root}, which is not a folder of this repository. Correct ${rootName}.`,
    entry?.position,
  )
  return root
}

const isFolder = async (reader: TreeReader, path: string): Promise<boolean> =>
  (await reader.entry(path))?.mode === FOLDER || (await reader.list(path)) !== null

/** Returns the path that the entries of the table of contents are relative to. */
export const entriesFrom = ({ summary, summaryLink }: ContentConfig): string => summaryLink ?? summary

/**
 * Reports a list of languages. HonKit builds a book from each folder in it; Bindery shows them as folders of one tree.
 */
async function reportLanguages(
  reader: TreeReader,
  { root, summary }: ContentConfig,
  structure: unknown,
  diagnostics: Diagnostic[],
): Promise<void> {
  const named = isRecord(structure) && Object.hasOwn(structure, 'languages') ? asPath(structure.languages) : null
  const file = normalizePath(named || 'LANGS.md', root)
  if (file === null || !(await reader.entry(file)) || (await reader.entry(summary))) return
  diagnostics.push({
    code: 'unsupported-entry',
    message: `${file} lists a book per language. They are shown here as folders of one tree; to get its table of contents, synchronize the folder of each language with a separate space.`,
    file,
  })
}

async function readRedirects(
  reader: TreeReader,
  root: string,
  written: Record<string, unknown>,
  report: (message: string) => void,
): Promise<Record<string, string>> {
  const found: Array<[string, string]> = []
  for (const [from, value] of Object.entries(written)) {
    const old = redirectKey(from)
    const target = asPath(value)
    if (old === '' || target === null || /^[a-z][a-z0-9+.-]*:/i.test(target)) {
      report(
        `The redirect ${JSON.stringify(from)} must point to a page of this repository, so it is ignored. Correct its target.`,
      )
      continue
    }
    const file = await findPageFile(reader, root, target.replace(/#.*$/s, ''))
    if (file === null)
      report(
        `The redirect ${JSON.stringify(from)} points to ${JSON.stringify(target)}, which is not a page of this repository, so it is ignored. Correct its target.`,
      )
    else found.push([old, file])
  }
  // Addresses that were copied from a browser are percent-encoded.
  const decoded = found.flatMap(
    ([old, file]): Array<[string, string]> => (old.includes('%') ? [[decodePercent(old) ?? old, file]] : []),
  )
  return Object.fromEntries([...decoded, ...found])
}

/**
 * Returns the markdown file that a redirect points to: the target itself, the target with `.md` added, or the README of
 * that folder.
 */
async function findPageFile(reader: TreeReader, root: string, target: string): Promise<string | null> {
  for (const spelling of new Set([target, decodePercent(target) ?? target])) {
    const path = normalizePath(spelling, root)
    if (path === null) continue
    const below = path === '' ? '' : `${path}/`
    for (const candidate of [path, `${path}.md`, `${below}README.md`]) {
      const entry = isMarkdown(candidate) ? await followLinks(reader, candidate) : null
      if (entry && isFile(entry)) return entry.path
    }
  }
  return null
}

/** Returns an old path without leading and trailing slashes. */
export const redirectKey = (path: string): string =>
  withoutZeroWidth(path)
    .trim()
    .replace(/^\/+|\/+$/g, '')

/**
 * Returns the page that `.gitbook.yaml` redirects an old path to; null if there is none. A page at `path` takes
 * precedence: callers look for it first.
 */
export function resolveRedirect(structure: ContentStructure, path: string): DocumentEntry | null {
  const { redirects } = structure.config
  const wanted = redirectKey(path)
  for (const key of [wanted, decodePercent(wanted) ?? wanted, wanted.replace(/\.(md|html)$/i, '')]) {
    const file = Object.hasOwn(redirects, key) ? redirects[key] : undefined
    const page = file === undefined ? undefined : structure.byGitPath.get(file)
    if (page) return page
  }
  return null
}
