import type { PageAttributes } from './types.js'
import type { YamlEntry } from './yaml.js'

type Layout = NonNullable<PageAttributes['layout']>
type Cover = NonNullable<PageAttributes['cover']>
type Report = (message: string, line: number, column: number) => void

const isRecord = (value: unknown): value is Record<string, unknown> => value !== null && typeof value === 'object' && !Array.isArray(value)
const member = (value: unknown, name: string): unknown => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined)
const asString = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
const asStrings = (value: unknown): string[] | undefined => {
  const items = (Array.isArray(value) ? value : [value]).map((item) => asString(item) ?? asString(member(item, 'tag')) ?? asString(member(item, 'name')))
  return items.every((item) => item !== undefined) ? (items as string[]) : undefined
}

const STRINGS = { title: 'title', description: 'description', icon: 'icon', emoji: 'emoji', if: 'condition' } as const
const FLAGS = ['hidden', 'noIndex', 'noRobotsIndex'] as const
const LAYOUT_FLAGS = ['title', 'description', 'tableOfContents', 'outline', 'pagination', 'metadata'] as const

/**
 * The known keys of a page's front matter. A value of a wrong type is reported and left out; an empty one is left out;
 * unknown keys are nobody's business here. Source: the content format, "Front matter".
 */
export function readAttributes(entries: readonly YamlEntry[], report: Report): PageAttributes {
  const byKey = new Map(entries.filter(({ value }) => value !== null && value !== undefined).map((entry) => [entry.key, entry]))
  const attributes: PageAttributes = {}
  const wrong = (entry: YamlEntry, wanted: string, name = entry.key): void =>
    report(`${name} must be ${wanted}, so it is not used. Correct it there.`, entry.place.line, entry.place.column)
  const use = <T>(key: string, wanted: string, read: (entry: YamlEntry) => T | undefined, set: (value: T) => void): void => {
    const entry = byKey.get(key)
    if (!entry) return
    const value = read(entry)
    if (value === undefined) wrong(entry, wanted)
    else set(value)
  }
  const flag = ({ value }: YamlEntry): boolean | undefined => (typeof value === 'boolean' ? value : undefined)
  const number = ({ value }: YamlEntry): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined)

  for (const [key, name] of Object.entries(STRINGS)) {
    use(
      key,
      'a text',
      (entry) => entry.text ?? undefined,
      (value) => void (attributes[name] = value),
    )
  }
  for (const key of FLAGS) use(key, 'true or false', flag, (value) => void (attributes[key] = value))

  const cover: Cover = {}
  use(
    'cover',
    'a file, or light and dark files',
    ({ value }) => readCover(value),
    (value) => void Object.assign(cover, value),
  )
  use(
    'coverDark',
    'a file',
    ({ text }) => text ?? undefined,
    (value) => void (cover.refDark = value),
  )
  use('coverY', 'a number', number, (value) => void (cover.yPos = value))
  use('coverHeight', 'a number', number, (value) => void (cover.height = value))
  if (Object.keys(cover).length > 0) attributes.cover = cover

  use(
    'layout',
    'a map',
    (entry) => (isRecord(entry.value) ? readLayout(entry.value, (name, wanted) => wrong(entry, wanted, `layout.${name}`)) : undefined),
    (value) => void (attributes.layout = value),
  )
  use(
    'vars',
    'a map of texts',
    (entry) => readVariables(entry.value, (name) => wrong(entry, 'a text, number or boolean', `vars.${name}`)),
    (value) => void (attributes.variables = value),
  )
  use(
    'tags',
    'a list of texts',
    ({ value }) => asStrings(value),
    (value) => void (attributes.tags = value),
  )
  use(
    'metaLinks',
    'a map of canonical and alternates',
    ({ value }) => readMetaLinks(value),
    (value) => void (attributes.metaLinks = value),
  )
  return attributes
}

function readCover(value: unknown): Cover | undefined {
  if (typeof value === 'string') return { ref: value }
  if (!isRecord(value)) return undefined
  const ref = asString(value.light ?? value.ref ?? value.url ?? value.src)
  const refDark = asString(value.dark ?? value.refDark)
  if (ref === undefined && refDark === undefined) return undefined
  return { ...(ref === undefined ? {} : { ref }), ...(refDark === undefined ? {} : { refDark }) }
}

function readLayout(value: Record<string, unknown>, wrong: (name: string, wanted: string) => void): Layout {
  const layout: Layout = {}
  /** `name: {visible: false}`, or in short `name: false`. */
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
  else if (size !== undefined && size !== null) wrong('cover.size', 'a text')
  if (typeof value.width === 'string') layout.width = value.width
  else if (value.width !== undefined && value.width !== null) wrong('width', 'a text')
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
