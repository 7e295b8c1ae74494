import { type GroupChild, itemsOf, type SiteItemType, type SiteStructure, sectionsOf } from '../../src/model/index.js'

/** Lists by the ID of their container. `root` contains site spaces, `top` contains sections and groups. */
export class StructureModel {
  readonly lists = new Map<string, string[]>([
    ['root', []],
    ['top', []],
  ])
  readonly kinds = new Map<string, SiteItemType>()
  /** The default site space of the root and of each section, and under `top` the default section. */
  readonly defaults = new Map<string, string | null>([
    ['root', null],
    ['top', null],
  ])

  list(id: string): string[] {
    return this.lists.get(id) ?? []
  }

  /** Returns the container of an item. */
  place(id: string): string | undefined {
    return [...this.lists].find(([, items]) => items.includes(id))?.[0]
  }

  sections(): string[] {
    return this.list('top').flatMap((id) => (this.kinds.get(id) === 'site-section' ? [id] : this.list(id)))
  }

  all(kind: SiteItemType): string[] {
    return [...this.kinds].filter(([id, one]) => one === kind && this.place(id) !== undefined).map(([id]) => id)
  }

  addSiteSpace(id: string, section: string | undefined): void {
    const into = section ?? this.defaults.get('top') ?? 'root'
    this.kinds.set(id, 'site-space')
    this.list(into).push(id)
    if (!this.defaults.get(into)) this.defaults.set(into, id)
  }

  private newSection(id: string, spaces: string[], byDefault: string | null): void {
    this.kinds.set(id, 'site-section')
    this.lists.set(id, spaces)
    this.defaults.set(id, byDefault)
    this.list('top').push(id)
    if (!this.defaults.get('top')) this.defaults.set('top', id)
  }

  addSection(id: string, siteSpace: string, root: string): void {
    if (this.list('root').length > 0) {
      this.newSection(root, this.list('root'), this.defaults.get('root') ?? null)
      this.lists.set('root', [])
      this.defaults.set('root', null)
    }
    this.newSection(id, [], null)
    this.addSiteSpace(siteSpace, id)
  }

  private take(id: string): void {
    const from = this.place(id)
    if (from !== undefined)
      this.lists.set(
        from,
        this.list(from).filter((one) => one !== id),
      )
  }

  removeSiteSpace(id: string): void {
    const from = this.place(id) as string
    const at = this.list(from).indexOf(id)
    this.take(id)
    if (this.defaults.get(from) === id) this.defaults.set(from, this.list(from)[at] ?? this.list(from)[0] ?? null)
  }

  removeSection(id: string): void {
    const at = this.sections().indexOf(id)
    this.take(id)
    this.lists.delete(id)
    const left = this.sections()
    if (this.defaults.get('top') === id) this.defaults.set('top', left[at] ?? left[0] ?? null)
  }

  addGroup(id: string, sections: string[]): void {
    const top = this.list('top')
    const first = top.indexOf(sections[0] ?? '')
    this.kinds.set(id, 'site-section-group')
    top.splice(first < 0 ? top.length : first, 0, id)
    for (const section of sections) this.take(section)
    this.lists.set(id, sections)
  }

  removeGroup(id: string): void {
    const top = this.list('top')
    top.splice(top.indexOf(id), 1, ...this.list(id))
    this.lists.delete(id)
  }

  addToGroup(group: string, section: string): void {
    if (this.list(group).includes(section)) return
    this.take(section)
    this.list(group).push(section)
  }

  removeFromGroup(group: string, section: string): void {
    if (!this.list(group).includes(section)) return
    this.take(section)
    this.list('top').splice(this.list('top').indexOf(group) + 1, 0, section)
  }

  /** Moves an item. Returns the status. */
  move(id: string, before: string | undefined, after: string | undefined): number {
    const list = this.list(this.place(id) as string)
    const rest = list.filter((one) => one !== id)
    if ([before, after].some((one) => one !== undefined && !rest.includes(one))) return 400
    if (before !== undefined && after !== undefined && rest.indexOf(after) >= rest.indexOf(before)) return 400
    const at = before !== undefined ? rest.indexOf(before) : after !== undefined ? rest.indexOf(after) + 1 : rest.length
    rest.splice(at, 0, id)
    if (rest.join() === list.join()) return 409
    list.splice(0, list.length, ...rest)
    return 200
  }

  /** The complete structure, for a comparison with `shapeOf`. */
  shape(): unknown {
    const spaces = (id: string) => ({ spaces: this.list(id), byDefault: this.defaults.get(id) })
    const item = (id: string): unknown =>
      this.kinds.get(id) === 'site-section' ? { id, ...spaces(id) } : { id, sections: this.list(id).map(item) }
    return { root: spaces('root'), top: this.list('top').map(item), byDefault: this.defaults.get('top') }
  }
}

/** A structure as the model describes it. */
export function shapeOf(structure: SiteStructure): unknown {
  const spaces = (of: Pick<SiteStructure, 'siteSpaces' | 'defaultSiteSpace'>) => ({
    spaces: of.siteSpaces.map(({ id }) => id),
    byDefault: of.defaultSiteSpace,
  })
  const item = (one: GroupChild): unknown => {
    if (one.type === 'site-section') return { id: one.id, ...spaces(one) }
    return one.type === 'site-section-group' ? { id: one.id, sections: one.children.map(item) } : { id: one.id }
  }
  return { root: spaces(structure), top: structure.items.map(item), byDefault: structure.defaultSection }
}

/** The faults of a structure, independent of its history. Empty means none. */
export function faultsOf(structure: SiteStructure): string[] {
  const faults: string[] = []
  const expect = (holds: boolean, what: string): void => void (holds || faults.push(what))
  const unique = (values: readonly (string | undefined)[], what: string): void =>
    expect(new Set(values).size === values.length, `${what}: ${values}`)
  const growing = (items: readonly { order?: string }[], what: string): void =>
    expect(
      items.every(({ order }, i) => order !== undefined && (i === 0 || order > (items[i - 1]?.order ?? ''))),
      `keys of ${what} grow: ${items.map(({ order }) => order)}`,
    )
  const sections = sectionsOf(structure)
  const containers = [structure, ...sections]
  const groups = itemsOf(structure).flatMap(({ item }) => (item.type === 'site-section-group' ? [item] : []))
  const links = itemsOf(structure).filter(({ item }) => item.type === 'site-external-link')
  const siteSpaces = containers.flatMap((one) => one.siteSpaces)
  unique(
    [...siteSpaces, ...sections, ...groups, ...links.map(({ item }) => item)].map(({ id }) => id),
    'each item once',
  )
  unique(
    siteSpaces.map(({ space }) => space),
    'each space once',
  )
  unique(
    sections.map(({ path }) => path),
    'paths of sections',
  )
  for (const one of containers) {
    unique(
      one.siteSpaces.map(({ path }) => path),
      'paths of site spaces',
    )
    expect(
      one.siteSpaces.length === 0
        ? one.defaultSiteSpace === null
        : one.siteSpaces.some(({ id }) => id === one.defaultSiteSpace),
      'one default site space',
    )
    growing(one.siteSpaces, 'site spaces')
  }
  expect(
    sections.length === 0
      ? structure.defaultSection === null
      : sections.some(({ id }) => id === structure.defaultSection),
    'one default section',
  )
  expect(sections.length === 0 || structure.siteSpaces.length === 0, 'no site space at the root next to sections')
  for (const list of [structure.items, ...groups.map((group) => group.children)]) growing(list, 'items')
  expect(
    itemsOf(structure).every(({ item, level }) => item.type !== 'site-section-group' || level <= 5),
    'groups at most 5 levels deep',
  )
  expect(
    links.every(({ group }) => group !== undefined),
    'links in groups only',
  )
  return faults
}
