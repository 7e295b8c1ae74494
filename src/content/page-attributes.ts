/**
 * Converts the front matter of a page to its attributes (title, description, cover, layout …), and reports invalid
 * values.
 */
import { defined } from '../kernel/defined.js'
import type { PageAttributes } from './types.js'
import type { YamlEntry } from './yaml-entry.js'
import { isRecord } from '../kernel/guards.js'

type Layout = NonNullable<PageAttributes['layout']>
type Cover = NonNullable<PageAttributes['cover']>
type Report = (message: string, line: number, column: number) => void

const member = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
const asString = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'boolean'
      ? String(value)
      : undefined
const asStrings = (value: unknown): string[] | undefined => {
  const items = (Array.isArray(value) ? value : [value]).map(
    (item) => asString(item) ?? asString(member(item, 'tag')) ?? asString(member(item, 'name')),
  )
  return items.every((item) => item !== undefined) ? items : undefined
}
/** Maximum number of paths of the code that a page names, and their length. */
const MAX_CODE_PATHS = 20
const MAX_CODE_PATH = 500
const LAYOUT_FLAGS = [
  'title',
  'description',
  'tableOfContents',
  'outline',
  'pagination',
  'metadata',
  'tags',
  'actions',
  'anchors',
] as const

/**
 * Reads the known keys of a page's front matter. A value of a wrong type is reported and ignored. An empty value is
 * ignored. Unknown keys are left to other tools.
 */
export function readAttributes(entries: readonly YamlEntry[], report: Report): PageAttributes {
  const byKey = new Map(
    entries.filter(({ value }) => value !== null && value !== undefined).map((entry) => [entry.key, entry]),
  )
  const reportType = ({ position: { line, column } }: YamlEntry, name: string, wanted: string): void =>
    report(`${name} must be ${wanted}, so it is ignored. Correct its value.`, line, column)
  const use = <T>(key: string, wanted: string, read: (entry: YamlEntry) => T | undefined): T | undefined => {
    const entry = byKey.get(key)
    const value = entry && read(entry)
    if (entry && value === undefined) reportType(entry, key, wanted)
    return value
  }
  const string = (key: string): string | undefined => use(key, 'a string', ({ text }) => text ?? undefined)
  const flag = (key: string): boolean | undefined =>
    use(key, 'true or false', ({ value }) => (typeof value === 'boolean' ? value : undefined))
  const number = (key: string): number | undefined =>
    use(key, 'a number', ({ value }) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined))
  const cover = (): Cover | undefined => {
    const written = use('cover', 'a file, or a map with the files light and dark', ({ value }) => readCover(value))
    const dark = use('coverDark', 'a file', ({ text }) => text ?? undefined)
    const found = defined({
      ref: written?.ref,
      refDark: dark ?? written?.refDark,
      yPos: number('coverY'),
      height: number('coverHeight'),
    })
    return Object.keys(found).length > 0 ? found : undefined
  }
  const layout = (): Layout | undefined =>
    use('layout', 'a map', (entry) =>
      readLayout(entry.value, (name, wanted) => reportType(entry, `layout.${name}`, wanted)),
    )
  return defined({
    title: string('title'),
    description: string('description'),
    icon: string('icon'),
    emoji: string('emoji'),
    condition: string('if'),
    hidden: flag('hidden'),
    noIndex: flag('noIndex'),
    noRobotsIndex: flag('noRobotsIndex'),
    cover: cover(),
    // Jekyll and Hugo name a template by this key.
    layout: typeof byKey.get('layout')?.value === 'string' ? undefined : layout(),
    variables: use('vars', 'a map of strings', (entry) =>
      readVariables(entry.value, (name) => reportType(entry, `vars.${name}`, 'a string, number or boolean')),
    ),
    tags: use('tags', 'a list of strings', ({ value }) => asStrings(value)),
    metaLinks: use('metaLinks', 'a map with canonical and alternates', ({ value }) => readMetaLinks(value)),
    codePaths: use('codePaths', `a list of at most ${MAX_CODE_PATHS} paths`, ({ value }) => readCodePaths(value)),
  })
}

function readCodePaths(value: unknown): string[] | undefined {
  const paths = asStrings(value)?.map((path) => path.replace(/^(?:\.?\/)+|\/+$/g, ''))
  return paths && paths.length <= MAX_CODE_PATHS && paths.every((path) => path.length <= MAX_CODE_PATH)
    ? paths.filter((path) => path !== '')
    : undefined
}

function readCover(value: unknown): Cover | undefined {
  if (typeof value === 'string') return { ref: value }
  if (!isRecord(value)) return undefined
  const ref = asString(value.light ?? value.ref ?? value.url ?? value.src)
  const refDark = asString(value.dark ?? value.refDark)
  if (ref === undefined && refDark === undefined) return undefined
  return { ...(ref === undefined ? {} : { ref }), ...(refDark === undefined ? {} : { refDark }) }
}

function readLayout(value: unknown, wrong: (name: string, wanted: string) => void): Layout | undefined {
  if (!isRecord(value)) return undefined
  const layout: Layout = {}
  /** Reads `name: {visible: false}`, or `name: false` for short. */
  const visible = (name: string): boolean | undefined => {
    const found = isRecord(value[name]) ? member(value[name], 'visible') : value[name]
    if (found === undefined || found === null) return undefined
    if (typeof found === 'boolean') return found
    wrong(`${name}.visible`, 'true or false')
    return undefined
  }
  for (const name of LAYOUT_FLAGS) {
    const shown = visible(name)
    if (shown !== undefined) layout[name] = shown
  }
  const cover = visible('cover')
  if (cover !== undefined) layout.cover = cover
  const size = member(value.cover, 'size')
  if (typeof size === 'string') layout.coverSize = size
  else if (size !== undefined && size !== null) wrong('cover.size', 'a string')
  const mask = member(value.cover, 'mask')
  if (typeof mask === 'string') layout.coverMask = mask
  else if (mask !== undefined && mask !== null) wrong('cover.mask', 'a string')
  if (typeof value.width === 'string') layout.width = value.width
  else if (value.width !== undefined && value.width !== null) wrong('width', 'a string')
  return layout
}

function readVariables(value: unknown, wrong: (name: string) => void): Record<string, string> | undefined {
  if (!isRecord(value)) return undefined
  const found: Array<[string, string]> = []
  for (const [name, item] of Object.entries(value)) {
    const text = item === null ? '' : asString(item)
    if (text === undefined) wrong(name)
    else found.push([name, text])
  }
  return Object.fromEntries(found)
}

function readMetaLinks(value: unknown): PageAttributes['metaLinks'] | undefined {
  if (!isRecord(value)) return undefined
  const canonical = asString(value.canonical)
  const listed = value.alternates ?? undefined
  const alternates = listed === undefined ? undefined : asStrings(listed)
  if (listed !== undefined && alternates === undefined) return undefined
  return { ...(canonical === undefined ? {} : { canonical }), ...(alternates === undefined ? {} : { alternates }) }
}
