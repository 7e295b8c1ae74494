import type { Diagnostic } from '../kernel/diagnostic.js'
import { decodePercent, isMarkdown, normalizePath } from './paths.js'
import { findText, isFile } from './read-file.js'
import { withoutZeroWidth } from './text.js'
import type { ContentConfig, ContentStructure, DocumentEntry, TreeReader } from './types.js'
import type { TextWork } from './work/text-work.js'
import { type LineColumn, yamlOf } from './yaml-work.js'

/** Where the configuration lies: always at the repository's root. */
export const CONFIG_FILE = '.gitbook.yaml'

const isRecord = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object' && !Array.isArray(value)

/** A scalar as a path: trimmed, without zero-width characters; null where it is none. */
const asPath = (value: unknown): string | null => (typeof value === 'string' || typeof value === 'number' ? withoutZeroWidth(String(value)).trim() : null)

/**
 * Reads `.gitbook.yaml`. What cannot be read gives a diagnostic and the default; it never throws for what the file holds.
 * Source of the rules: the content format, "Roots".
 */
export async function readConfig(reader: TreeReader, work: Pick<TextWork, 'yaml'>): Promise<{ config: ContentConfig; diagnostics: Diagnostic[] }> {
  const diagnostics: Diagnostic[] = []
  const report = (code: Diagnostic['code'], message: string, place?: LineColumn): void =>
    void diagnostics.push({ code, message, file: CONFIG_FILE, ...(place ? { line: place.line, column: place.column } : {}) })

  const text = await findText(reader, CONFIG_FILE, diagnostics)
  const yaml = await yamlOf(work, text ?? '')
  if (!yaml.ok) report('invalid-config', `${CONFIG_FILE} is not valid YAML (${yaml.message}), so the defaults are used. Correct it there.`, yaml.place)
  else if (yaml.entries === null) report('invalid-config', `${CONFIG_FILE} must be a map of settings, so the defaults are used.`, { line: 1, column: 1 })
  const entries = new Map((yaml.ok ? (yaml.entries ?? []) : []).map((entry) => [entry.key, entry]))

  const rootEntry = entries.get('root')
  let root = ''
  if (rootEntry && rootEntry.value !== null) {
    const written = asPath(rootEntry.value)
    const path = written === null ? null : normalizePath(written)
    if (path === null) report('invalid-root', 'root must be a folder inside the repository, so the repository’s own root is used.', rootEntry.place)
    else root = path
  }

  const structure = entries.get('structure')
  if (structure && structure.value !== null && !isRecord(structure.value))
    report('invalid-config', 'structure must be a map with readme and summary.', structure.place)
  const structurePath = (name: 'readme' | 'summary', fallback: string): string => {
    const value = isRecord(structure?.value) && Object.hasOwn(structure.value, name) ? structure.value[name] : null
    const written = value === null ? fallback : asPath(value)
    const path = written === null || written === '' ? null : normalizePath(written, root)
    if (path !== null && path !== root) return path
    report('invalid-config', `structure.${name} must be a file inside the repository, so ${fallback} is used.`, structure?.place)
    return normalizePath(fallback, root) ?? fallback
  }

  const config: ContentConfig = { root, readme: structurePath('readme', 'README.md'), summary: structurePath('summary', 'SUMMARY.md'), redirects: {} }
  const redirects = entries.get('redirects')
  if (redirects && redirects.value !== null) {
    if (!isRecord(redirects.value)) report('invalid-config', 'redirects must be a map from an old path to a page.', redirects.place)
    else config.redirects = await readRedirects(reader, root, redirects.value, (message) => report('invalid-config', message, redirects.place))
  }
  return { config, diagnostics }
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
      report(`The redirect ${JSON.stringify(from)} must name a page of this repository, so it is left out.`)
      continue
    }
    const file = await findPageFile(reader, root, target.replace(/#.*$/s, ''))
    if (file === null) report(`The redirect ${JSON.stringify(from)} leads to ${JSON.stringify(target)}, which is no page of this repository.`)
    else found.push([old, file])
  }
  return Object.fromEntries(found)
}

/** The markdown file that a redirect's target means: itself, with `.md`, or a folder's README. */
async function findPageFile(reader: TreeReader, root: string, target: string): Promise<string | null> {
  for (const spelling of new Set([target, decodePercent(target) ?? target])) {
    const path = normalizePath(spelling, root)
    if (path === null) continue
    const below = path === '' ? '' : `${path}/`
    for (const candidate of [path, `${path}.md`, `${below}README.md`]) {
      const entry = isMarkdown(candidate) ? await reader.entry(candidate) : null
      if (entry && isFile(entry)) return candidate
    }
  }
  return null
}

/** An old path without slashes at its ends. */
const redirectKey = (path: string): string =>
  withoutZeroWidth(path)
    .trim()
    .replace(/^\/+|\/+$/g, '')

/** The page that `.gitbook.yaml` redirects an old path to, or null. Callers ask for a page at `path` first: it outranks a redirect. */
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
