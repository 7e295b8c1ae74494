/** Finds and reads the file that configures the location of a repository's pages. */
import type { Diagnostic } from '../kernel/diagnostic.js'
import { CONFIG_FILE, DEFAULT_SUMMARY, HONKIT_FILE, MDBOOK_FILE } from './known-files.js'
import { findText, isFile } from './read-file.js'
import { findInAnyCase } from './symlinks.js'
import type { TreeReader } from './types.js'
import type { TextWork } from './work/text-work.js'
import { type LineColumn, tomlOf, yamlOf } from './yaml-work.js'
import { isRecord } from '../kernel/guards.js'

interface Setting {
  value: unknown
  position?: LineColumn
}

export interface Settings {
  /** The path of the file, even if it does not exist. */
  file: string
  /** The name of the setting of the effective root, and its default. */
  rootName: string
  rootDefault: string
  /** `root`, `structure` and `redirects`, if the file sets them. */
  entries: ReadonlyMap<string, Setting>
  unlistedReadme: UnlistedReadme
}

/**
 * The way in which the configured tool shows a README that the table of contents does not list: as the first page, with
 * its own title (`heading`) or always as `Introduction`; or not at all (null).
 */
export type UnlistedReadme = 'heading' | 'Introduction' | null

type SettingsThreads = Pick<TextWork, 'yaml' | 'toml'>

/**
 * Returns the settings. `.gitbook.yaml` applies if it exists, or if the table of contents is at the repository's root.
 * Otherwise mdBook's `book.toml` or HonKit's `book.json` applies. Without any of them, all settings have their
 * defaults.
 */
export async function findSettings(
  reader: TreeReader,
  work: SettingsThreads,
  diagnostics: Diagnostic[],
): Promise<Settings> {
  if (await reader.entry(CONFIG_FILE)) return fromYaml(CONFIG_FILE, reader, work, diagnostics)
  const [isMdBook, isHonKit] = [await hasFile(reader, MDBOOK_FILE), await hasFile(reader, HONKIT_FILE)]
  if (await hasFile(reader, DEFAULT_SUMMARY)) {
    const unlistedReadme = isMdBook ? null : isHonKit ? 'Introduction' : 'heading'
    return { ...(await fromYaml(CONFIG_FILE, reader, work, diagnostics)), unlistedReadme }
  }
  if (isMdBook) return fromMdBook(reader, work, diagnostics)
  if (!isHonKit) return fromYaml(CONFIG_FILE, reader, work, diagnostics)
  // JSON is YAML. The YAML reader has limits and provides the lines of members.
  const book = await fromYaml(HONKIT_FILE, reader, work, diagnostics)
  const known = [...book.entries].filter(([name]) => name === 'root' || name === 'structure')
  return { ...book, entries: new Map(known), unlistedReadme: 'Introduction' }
}

const hasFile = async (reader: TreeReader, path: string): Promise<boolean> => {
  const { path: found, link } = await findInAnyCase(reader, path)
  const entry = link === undefined ? await reader.entry(found) : null
  return entry !== null && isFile(entry)
}

async function fromYaml(
  file: string,
  reader: TreeReader,
  work: SettingsThreads,
  diagnostics: Diagnostic[],
): Promise<Settings> {
  const yaml = await yamlOf(work, (await findText(reader, file, diagnostics)) ?? '')
  const report = (message: string, { line, column }: LineColumn): void =>
    void diagnostics.push({ code: 'invalid-config', message, file, line, column })
  const [language, example] = file === HONKIT_FILE ? ['JSON', '"name": value'] : ['YAML', 'name: value']
  if (!yaml.ok)
    report(
      `${file} is not valid ${language} (${yaml.message}), so the defaults are used. Correct it there.`,
      yaml.position,
    )
  else if (yaml.entries === null)
    report(`${file} must be a map of settings, so the defaults are used. Write one ‘${example}’ per line.`, {
      line: 1,
      column: 1,
    })
  const entries = new Map((yaml.ok ? (yaml.entries ?? []) : []).map((entry) => [entry.key, entry]))
  return { file, rootName: 'root', rootDefault: '', entries, unlistedReadme: 'heading' }
}

/**
 * Reads mdBook's settings. Of Bindery's settings, mdBook has only the folder of the pages. Its table of contents is
 * always `SUMMARY.md` in that folder.
 */
async function fromMdBook(reader: TreeReader, work: SettingsThreads, diagnostics: Diagnostic[]): Promise<Settings> {
  const settings: Settings = {
    file: MDBOOK_FILE,
    rootName: 'book.src',
    rootDefault: 'src',
    entries: new Map(),
    unlistedReadme: null,
  }
  const report = (message: string, position?: LineColumn): void =>
    void diagnostics.push({
      code: 'invalid-config',
      message,
      file: MDBOOK_FILE,
      ...(position ? { line: position.line, column: position.column } : {}),
    })
  const toml = await tomlOf(work, (await findText(reader, MDBOOK_FILE, diagnostics)) ?? '')
  if (!toml.ok) {
    report(
      `${MDBOOK_FILE} is not valid TOML (${toml.message}), so the defaults are used. Correct it there.`,
      toml.position,
    )
    return settings
  }
  const book = Object.hasOwn(toml.value, 'book') ? toml.value.book : {}
  if (!isRecord(book)) report('book must be a table, so the defaults are used. Write [book] on a separate line.')
  const src = isRecord(book) && Object.hasOwn(book, 'src') ? book.src : undefined
  return src === undefined ? settings : { ...settings, entries: new Map([['root', { value: src }]]) }
}
