import * as assert from 'uvu/assert'
import type { ChangeRequestDesk, Desk } from '../../commits/fixture.js'
import { soundIds } from '../ids.js'
import type { Ground } from './ground.js'
import { lookAt, mustEqual } from './look.js'
import {
  childrenOf,
  copyOf,
  descendantsOf,
  emptySide,
  type Known,
  mergedPages,
  orderFault,
  place,
  remove,
  type Side,
} from './model.js'
import { random } from '../../simulation/two-sided/random.js'

const MAIN = 'refs/heads/main'
/** The approximate number of pages that are kept. */
const PAGES = 40
const BRANCHES = 2

interface Branch {
  desk: ChangeRequestDesk
  side: Side
  /** Main when the branch was created or last updated. */
  base: Side
}

const bodyOf = (title: string, n: number): string =>
  `# ${title}\n\n${Array.from({ length: 8 }, (_, line) => `${title} says ${line * 7 + n}.\n`).join('')}\nend ${n}\n`
const edited = (text: string, n: number): string => text.replace(/end \d+/, `end ${n}`)
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
const slugOf = (path: string): string =>
  path.endsWith('/README.md')
    ? (path.split('/').at(-2) as string)
    : (path.split('/').at(-1) as string).replace(/\.md$/, '')

/** Random edits, moves, merges, updates and plain Git commits of a space, and a model of the expected result. */
export class Story {
  main = emptySide()
  branches: Branch[] = []
  readonly log: string[] = []
  #count = 0

  private constructor(
    readonly ground: Ground,
    readonly desk: Desk,
    readonly next: (below: number) => number,
  ) {}

  static async begin(ground: Ground, seed: number): Promise<Story> {
    return new Story(
      ground,
      await ground.open({ 'SUMMARY.md': '# Table of contents\n\n', 'notes.txt': 'Not a page.\n' }),
      random(seed),
    )
  }

  /** Plays one step and checks all invariants. Every `thorough` steps, it also checks with cold caches. */
  async step(number: number, thorough: number): Promise<void> {
    this.log.push(`${number}: ${await this.#act()}`)
    mustEqual(await lookAt(this.desk, '', MAIN), this.main, 'main')
    for (const branch of this.branches)
      mustEqual(await this.#lookAt(branch), branch.side, `change request ${branch.desk.number}`)
    await this.ground.agree(this.desk, ['', ...this.branches.map(({ desk }) => `/change-requests/${desk.id}`)])
    if (number % thorough !== thorough - 1) return
    await soundIds(this.desk)
    for (const { desk } of this.branches) await soundIds(this.desk, `/change-requests/${desk.id}`)
  }

  #lookAt = ({ desk }: Branch): Promise<Side> => lookAt(this.desk, `/change-requests/${desk.id}`, desk.ref)

  async #act(): Promise<string> {
    const kind = this.next(24)
    const branch = this.branches[this.next(Math.max(1, this.branches.length))]
    if (kind === 0 && this.branches.length < BRANCHES) return this.#open()
    if (kind === 1 && branch) return this.#update(branch)
    if (kind === 2 && branch) return this.#merge(branch)
    if (kind === 3 && branch && this.next(4) === 0) return this.#discard(branch)
    if (kind === 4 && this.next(8) === 0) return this.#keepHouse()
    const target = branch && this.next(2) === 0 ? branch : null
    const side = target?.side ?? this.main
    const what = kind > 17 ? await this.#byHand(side, target) : await this.#edit(side, target)
    return `${target ? `change request ${target.desk.number}` : 'main'}: ${what}`
  }

  // Branches

  async #open(): Promise<string> {
    const desk = await this.desk.changeRequest()
    this.branches.push({ desk, side: copyOf(this.main), base: copyOf(this.main) })
    return `open change request ${desk.number}`
  }

  async #update(branch: Branch): Promise<string> {
    const pages = mergedPages(branch.base, this.main, branch.side) as Map<string, Known>
    await branch.desk.update()
    const told = await this.#lookAt(branch)
    assert.is(orderFault(branch.base, branch.side, this.main, told), null)
    branch.side = { pages, order: told.order }
    branch.base = copyOf(this.main)
    return `update change request ${branch.desk.number}`
  }

  async #merge(branch: Branch): Promise<string> {
    const pages = mergedPages(branch.base, this.main, branch.side) as Map<string, Known>
    const others = this.branches.filter((one) => one !== branch)
    if (!others.every((one) => mergedPages(one.base, { ...this.main, pages }, one.side))) return 'nothing'
    await branch.desk.merge()
    const told = await lookAt(this.desk, '', MAIN)
    assert.is(orderFault(branch.base, this.main, branch.side, told), null)
    this.main = { pages, order: told.order }
    this.branches = others
    return `merge change request ${branch.desk.number}`
  }

  async #discard(branch: Branch): Promise<string> {
    await this.desk.admin.call('patch', branch.desk.url, { status: 'archived' }).expect(200)
    this.branches = this.branches.filter((one) => one !== branch)
    return `archive change request ${branch.desk.number}`
  }

  async #keepHouse(): Promise<string> {
    if (this.next(2) === 0) return this.ground.restart()
    try {
      await this.desk.git('gc', '--quiet')
    } catch (error) {
      // The server runs housekeeping a minute after its start. Git itself rejects two at once.
      if (!String(error).includes('gc is already running')) throw error
    }
    return 'gc'
  }

  /** Applies a change of a side if every branch can still be merged. Otherwise does nothing. */
  async #apply(side: Side, after: Side, perform: () => Promise<unknown>): Promise<boolean> {
    const onMain = side === this.main
    const fits = this.branches.every((one) =>
      mergedPages(one.base, onMain ? after : this.main, side === one.side ? after : one.side),
    )
    if (!fits) return false
    await perform()
    if (onMain) this.main = after
    else (this.branches.find((one) => one.side === side) as Branch).side = after
    return true
  }

  #pick(side: Side, fits: (page: Known, id: string) => boolean = () => true): string | null {
    const ids = [...side.pages].filter(([id, page]) => fits(page, id)).map(([id]) => id)
    return ids.length === 0 ? null : (ids.sort()[this.next(ids.length)] as string)
  }

  /** Whether no branch has a file at this path, and the parent has no page with this slug. */
  #isFree(side: Side, path: string, parent: string | null): boolean {
    const all = [this.main, ...this.branches.map((one) => one.side)]
    // An ID is derived from the path: two sides that create a page at one path and move one away have one ID for
    // both.
    const isTaken = ([id, page]: [string, Known]): boolean =>
      page.path === path ||
      (page.born === path && !side.pages.has(id)) ||
      page.path.startsWith(`${path.replace(/\.md$/, '')}/README`)
    return (
      !all.some((one) => [...one.pages].some(isTaken)) &&
      !childrenOf(side, parent).some((id) => slugOf(side.pages.get(id)?.path ?? '') === slugOf(path))
    )
  }

  // Through the API

  async #edit(side: Side, target: Branch | null): Promise<string> {
    const write = (changes: object[]): Promise<any> => (target ? target.desk.write(changes) : this.desk.write(changes))
    const n = ++this.#count
    const after = copyOf(side)
    const page = this.#pick(side)
    const known = page === null ? null : (after.pages.get(page) as Known)
    const kind = side.pages.size > PAGES ? 1 + this.next(8) : this.next(8)
    const done = async (what: string, changes: object[]): Promise<string> =>
      (await this.#apply(side, after, () => write(changes))) ? what : 'nothing'
    if (kind === 0 || !page || !known) return this.#insert(side, write, n)
    if (kind === 1) {
      known.text = edited(known.text, n)
      return done(`edit ${known.title}`, [{ operation: 'update_page', page, document: { markdown: known.text } }])
    }
    if (kind === 2) {
      const [old, title] = [known.title, `T${n}`]
      if (known.text.startsWith(`# ${old}\n`)) known.text = known.text.replace(`# ${old}\n`, `# ${title}\n`)
      known.title = title
      return done(`retitle ${old} to ${title}`, [{ operation: 'update_page', page, title }])
    }
    if (kind === 3) return this.#rename(side, after, page, write, n)
    if (kind === 4 || kind === 5) {
      const below = new Set([page, ...descendantsOf(side, page)])
      const parent = this.next(3) === 0 ? null : this.#pick(side, (_, id) => !below.has(id))
      const at = this.next(2) === 0 ? this.next(4) : undefined
      place(after, page, parent, at)
      return done(`move ${known.title} into ${parent ?? 'the root'} at ${at ?? 'the end'}`, [
        {
          operation: 'update_page',
          page,
          into: parent,
          ...(at === undefined ? {} : { at: Math.min(at, childrenOf(after, parent).length - 1) }),
        },
      ])
    }
    if (kind === 6) {
      const other = this.#pick(
        side,
        (one, id) => id !== page && folderOf(one.path) === folderOf(known.path) && !one.path.endsWith('README.md'),
      )
      if (!other || known.path.endsWith('README.md')) return 'nothing'
      return this.#swap(side, after, page, other, write, n)
    }
    if (descendantsOf(side, page).length > 3) return 'nothing'
    remove(after, page)
    return done(`delete ${known.title}`, [{ operation: 'delete_page', page }])
  }

  async #insert(side: Side, write: (changes: object[]) => Promise<any>, n: number): Promise<string> {
    const parent = this.next(2) === 0 ? null : this.#pick(side)
    const title = `P${n}`
    const above =
      parent === null ? '' : (side.pages.get(parent) as Known).path.replace(/README\.md$/, '').replace(/\.md$/, '/')
    // Slugs come from a small set, so paths are reused again and again.
    const slug = this.next(2) === 0 ? `s${this.next(6)}` : `p${n}`
    const path = `${above}${slug}.md`
    if (!this.#isFree(side, path, parent)) return 'nothing'
    const at = this.next(2) === 0 ? this.next(1 + childrenOf(side, parent).length) : undefined
    const text = bodyOf(title, n)
    const page = { title, text, parent: null, path, born: path }
    const after = copyOf(side)
    after.pages.set('new', page)
    place(after, 'new', parent, at)
    let id = ''
    const done = await this.#apply(side, after, async () => {
      const change = {
        operation: 'insert_page',
        title,
        slug,
        document: { markdown: text },
        into: parent,
        ...(at === undefined ? {} : { at }),
      }
      id = (await write([change])).changes[0].page
      this.#named(after, id)
    })
    return done ? `insert ${title} as ${path}: ${id}` : 'nothing'
  }

  /** Gives the new page the ID that the service returned. No other page has it. */
  #named(side: Side, id: string): void {
    assert.not(side.pages.has(id), `a new page took the ID of another: ${id}`)
    const page = side.pages.get('new') as Known
    side.pages.delete('new')
    side.pages.set(id, page)
    side.order.set(
      page.parent ?? '',
      childrenOf(side, page.parent).map((one) => (one === 'new' ? id : one)),
    )
  }

  async #rename(
    side: Side,
    after: Side,
    page: string,
    write: (changes: object[]) => Promise<any>,
    n: number,
  ): Promise<string> {
    const known = after.pages.get(page) as Known
    const from = known.path
    const isFolder = from.endsWith('/README.md')
    const slug = isFolder ? `f${n}` : `r${this.next(6)}`
    if (isFolder) {
      const [old, now] = [folderOf(from), `${folderOf(folderOf(from).slice(0, -1))}${slug}/`]
      for (const one of after.pages.values()) if (one.path.startsWith(old)) one.path = now + one.path.slice(old.length)
    } else {
      known.path = `${folderOf(from)}${slug}.md`
      if (!this.#isFree(side, known.path, known.parent)) return 'nothing'
    }
    const done = await this.#apply(side, after, () => write([{ operation: 'update_page', page, slug }]))
    return done ? `rename ${from} to ${known.path}` : 'nothing'
  }

  /** Two pages of one folder exchange paths in one batch. */
  async #swap(
    side: Side,
    after: Side,
    page: string,
    other: string,
    write: (changes: object[]) => Promise<any>,
    n: number,
  ): Promise<string> {
    const [a, b] = [after.pages.get(page) as Known, after.pages.get(other) as Known]
    const [first, second] = [slugOf(a.path), slugOf(b.path)]
    const clash = (parent: string | null, slug: string): boolean =>
      childrenOf(side, parent).some(
        (id) => id !== page && id !== other && slugOf(side.pages.get(id)?.path ?? '') === slug,
      )
    if (clash(a.parent, second) || clash(b.parent, first)) return 'nothing'
    ;[a.path, b.path] = [b.path, a.path]
    for (const one of [a, b]) one.swaps = n
    const rename = (one: string, slug: string) => ({ operation: 'update_page', page: one, slug })
    const done = await this.#apply(side, after, () =>
      write([rename(page, `x${n}`), rename(other, first), rename(page, second)]),
    )
    return done ? `swap ${b.path} and ${a.path}` : 'nothing'
  }

  // Manually, with plain Git

  async #byHand(side: Side, target: Branch | null): Promise<string> {
    const ref = target?.desk.ref ?? MAIN
    const n = ++this.#count
    const after = copyOf(side)
    const page = this.#pick(side, (one, id) => childrenOf(side, id).length === 0 && !one.path.endsWith('README.md'))
    const known = page === null ? null : (after.pages.get(page) as Known)
    const summary = (await this.desk.file('SUMMARY.md', ref)) as string
    const done = async (what: string, files: Record<string, string | null>): Promise<string> =>
      (await this.#apply(side, after, () => this.desk.human(files, { ref, message: what })))
        ? `by hand, ${what}`
        : 'nothing'
    const kind = this.next(6)
    if (kind === 0 || !page || !known)
      return side.pages.size > PAGES ? 'nothing' : this.#addByHand(side, after, target, summary, n)
    if (kind === 1) {
      known.text = edited(known.text, n)
      return done(`edit ${known.path}`, { [known.path]: known.text })
    }
    if (kind === 2 || kind === 3) {
      const from = known.path
      known.path = `hand/h${n}.md`
      if (kind === 3) known.text = edited(known.text, n)
      return done(`rename${kind === 3 ? ' and edit' : ''} ${from} to ${known.path}`, {
        [from]: null,
        [known.path]: known.text,
        'SUMMARY.md': summary.replace(`](${from})`, `](${known.path})`),
      })
    }
    if (kind === 4) {
      const other = this.#pick(
        side,
        (one, id) => id !== page && childrenOf(side, id).length === 0 && one.text !== known.text,
      )
      return other === null ? 'nothing' : this.#swapByHand(after, page, other, done)
    }
    remove(after, page)
    return done(`delete ${known.path}`, {
      [known.path]: null,
      'SUMMARY.md': summary.replace(new RegExp(`^.*\\]\\(${known.path.replace(/[.]/g, '\\.')}\\)\\n`, 'm'), ''),
    })
  }

  /** Two files exchange bytes: the pages move with their bytes, each to the other's line of the table of contents. */
  #swapByHand(
    after: Side,
    page: string,
    other: string,
    done: (what: string, files: Record<string, string>) => Promise<string>,
  ): Promise<string> {
    const [a, b] = [after.pages.get(page) as Known, after.pages.get(other) as Known]
    const files = { [a.path]: b.text, [b.path]: a.text }
    const swapIn = (ids: string[]): string[] => ids.map((id) => (id === page ? other : id === other ? page : id))
    for (const [parent, ids] of after.order) after.order.set(parent, swapIn(ids))
    for (const name of ['title', 'path', 'parent'] as const) [a[name], b[name]] = [b[name] as string, a[name] as string]
    for (const one of [a, b]) one.swaps = this.#count
    return done(`swap ${b.path} and ${a.path}`, files)
  }

  async #addByHand(side: Side, after: Side, target: Branch | null, summary: string, n: number): Promise<string> {
    const title = `H${n}`
    const path = this.next(3) === 0 ? `d${n}/README.md` : `hand/${title.toLowerCase()}.md`
    const text = bodyOf(title, n)
    after.pages.set('new', { title, text, parent: null, path, born: path })
    place(after, 'new', null)
    const ref = target?.desk.ref ?? MAIN
    const done = await this.#apply(side, after, async () => {
      await this.desk.human({ [path]: text, 'SUMMARY.md': `${summary}* [${title}](${path})\n` }, { ref })
      const told = await lookAt(this.desk, target ? `/change-requests/${target.desk.id}` : '', ref)
      this.#named(after, [...told.pages].find(([, page]) => page.path === path)?.[0] as string)
    })
    return done ? `by hand, add ${path}` : 'nothing'
  }
}
