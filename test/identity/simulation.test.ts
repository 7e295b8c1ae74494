import * as assert from 'uvu/assert'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'
import { type ChangeRequestDesk, type Desk, flat, openDesk, type PageJson } from '../writing/fixture.js'
import { soundIds } from './ids.js'

const test = suite<{ here: TestService }>('identity simulation')
test.before(async (c) => {
  c.here = await startService()
})
test.after((c) => c.here.close())

/** mulberry32: the same seed, the same story. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below)
  }
}

/** A page as the model knows it: by ID. Titles are unique and never change, so they tell pages apart by hand too. */
interface Known {
  title: string
  text: string
  parent: string | null
}
type Model = Map<string, Known>

const body = (title: string, n: number): string => `# ${title}\n\n${Array.from({ length: 8 }, (_, line) => `${title} ${line}\n`).join('')}\nend ${n}\n`

/** What the service says, in the model's terms. */
async function told(desk: Desk, at: string): Promise<Model> {
  const model: Model = new Map()
  const ref = at === '' ? 'main' : `refs/heads/change-requests/${at.split('#')[1]}`
  const visit = async (pages: readonly PageJson[], parent: string | null): Promise<void> => {
    for (const page of pages) {
      const text = page.type === 'document' ? ((await desk.file(page.git?.path as string, ref)) as string) : ''
      model.set(page.id, { title: page.title, text, parent })
      await visit(page.pages, page.id)
    }
  }
  await visit((await desk.admin.call('get', `${desk.url}${at.split('#')[0]}/content/pages?metadata=true`).expect(200)).body.pages, null)
  return model
}

const show = (model: Model): string[] =>
  [...model].map(([id, page]) => `${id} ${page.title} in ${page.parent ?? '-'}: ${page.text.trimEnd().split('\n').at(-1)}`).sort()

function descendants(model: Model, id: string): string[] {
  return [...model].filter(([, page]) => page.parent === id).flatMap(([child]) => [child, ...descendants(model, child)])
}

class Story {
  readonly main: Model = new Map()
  branch: { desk: ChangeRequestDesk; model: Model; begin: Model } | null = null
  count = 0

  constructor(
    readonly desk: Desk,
    readonly next: (below: number) => number,
  ) {}

  pick(model: Model, but: readonly string[] = []): string | null {
    const ids = [...model.keys()].filter((id) => !but.includes(id)).sort()
    return ids.length === 0 ? null : (ids[this.next(ids.length)] as string)
  }

  async step(): Promise<string> {
    const kind = this.next(12)
    if (kind === 0 && !this.branch) {
      this.branch = { desk: await this.desk.changeRequest(), model: new Map(this.main), begin: new Map(this.main) }
      return 'open'
    }
    if (kind === 1 && this.branch) return this.close()
    if (kind === 2) return this.byHand()
    const onBranch = this.branch !== null && this.next(2) === 0
    const model = onBranch ? (this.branch as NonNullable<typeof this.branch>).model : this.main
    const write = async (changes: object[]) => (onBranch ? this.branch?.desk.write(changes) : this.desk.write(changes))
    return `${onBranch ? 'branch' : 'main'}: ${await this.edit(model, write)}`
  }

  /** Pages that the other side has not touched: what both touch may rightly conflict, and is tested elsewhere. */
  own(model: Model): Model {
    if (!this.branch) return model
    const other = model === this.main ? this.branch.model : this.main
    const { begin } = this.branch
    return new Map([...model].filter(([id, page]) => JSON.stringify(other.get(id)) === JSON.stringify(begin.get(id)) || !begin.has(id) || page === undefined))
  }

  async edit(model: Model, write: (changes: object[]) => Promise<any>): Promise<string> {
    const own = this.own(model)
    const page = this.pick(own)
    const kind = this.next(6)
    const n = ++this.count
    if (kind <= 1 || page === null) {
      const parent = this.branch ? null : this.next(2) === 0 ? this.pick(model) : null
      const title = `P${n}`
      // Slugs come from a small set: paths are used again and again.
      const slug = this.next(2) === 0 ? `s${this.next(6)}-${model === this.main ? 'm' : 'b'}` : undefined
      const text = body(title, n)
      const answer = await write([
        { operation: 'insert_page', title, document: { markdown: text }, into: parent, ...(slug && !(await this.taken(model, parent, slug)) ? { slug } : {}) },
      ])
      const id = answer.changes[0].page
      assert.not(model.has(id), `a new page took the ID of another: ${id}`)
      model.set(id, { title, text, parent })
      return `insert ${title} as ${slug}`
    }
    const known = model.get(page) as Known
    if (kind === 2 || this.branch?.begin.has(page)) {
      const text = known.text.replace(/end \d+/, `end ${n}`)
      await write([{ operation: 'update_page', page, document: { markdown: text } }])
      model.set(page, { ...known, text })
      return `edit ${known.title}`
    }
    if (kind === 3) {
      const slug = `r${this.next(6)}`
      if (await this.taken(model, known.parent, slug)) return 'nothing'
      await write([{ operation: 'update_page', page, slug }])
      return `slug ${known.title} ${slug}`
    }
    if (kind === 4) {
      const below = [page, ...descendants(model, page)]
      const parent = this.pick(model, below)
      await write([{ operation: 'update_page', page, into: parent }])
      model.set(page, { ...known, parent })
      return `move ${known.title} into ${parent}`
    }
    await write([{ operation: 'delete_page', page }])
    for (const id of [page, ...descendants(model, page)]) model.delete(id)
    return `delete ${known.title}`
  }

  /** A sibling has the slug, or some file the name: the service would refuse. */
  async taken(model: Model, _parent: string | null, slug: string): Promise<boolean> {
    const paths = await this.desk.paths(model === this.main ? 'main' : (this.branch as NonNullable<typeof this.branch>).desk.ref)
    return paths.some(
      (path) => path.toLowerCase().endsWith(`/${slug}.md`) || path === `${slug}.md` || path.startsWith(`${slug}/`) || path.includes(`/${slug}/`),
    )
  }

  async close(): Promise<string> {
    const branch = this.branch as NonNullable<typeof this.branch>
    const update = this.next(2) === 0
    const before = await this.desk.git('rev-parse', 'main')
    if (update) await branch.desk.update()
    await branch.desk.merge()
    assert.is.not(before, '')
    for (const [id, page] of branch.model) {
      if (JSON.stringify(page) !== JSON.stringify(branch.begin.get(id))) this.main.set(id, page)
    }
    for (const id of branch.begin.keys()) if (!branch.model.has(id)) this.main.delete(id)
    this.branch = null
    return update ? 'update and merge' : 'merge'
  }

  /** An admin's plain commit on main: a file renamed, two swapped, or a text changed. */
  async byHand(): Promise<string> {
    const summary = (await this.desk.file('SUMMARY.md')) as string
    const pages = flat(await this.desk.pages()).filter(
      (page) => page.type === 'document' && this.own(this.main).has(page.id) && !this.branch?.begin.has(page.id),
    )
    const page = pages[this.next(Math.max(1, pages.length))]
    if (!page) return 'nothing'
    const path = (await this.listed()).get(page.id) as string
    const known = this.main.get(page.id) as Known
    const n = ++this.count
    if (this.next(2) === 0) {
      const to = `hand${n}.md`
      await this.desk.human({ [path]: null, [to]: known.text, 'SUMMARY.md': summary.replace(`(${path})`, `(${to})`) })
      return `by hand: ${path} becomes ${to}`
    }
    const text = known.text.replace(/end \d+/, `end ${n}`)
    await this.desk.human({ [path]: text })
    this.main.set(page.id, { ...known, text })
    return `by hand: edit ${path}`
  }

  async listed(): Promise<Map<string, string>> {
    const { pages } = (await this.desk.admin.call('get', `${this.desk.url}/content/pages?metadata=true`).expect(200)).body
    return new Map(flat(pages).map((page) => [page.id, page.git?.path as string]))
  }
}

for (const seed of [1, 2]) {
  test(
    `story ${seed}`,
    async ({ here }) => {
      const desk = await openDesk(here, { 'SUMMARY.md': '# Table of contents\n\n', 'README.md': '# Root\n' })
      const story = new Story(desk, random(seed))
      const log: string[] = []
      for (let step = 0; step < 50; step++) {
        try {
          log.push(await story.step())
          assert.equal(show(await told(desk, '')), show(story.main))
          if (story.branch)
            assert.equal(show(await told(desk, `/change-requests/${story.branch.desk.id}#${story.branch.desk.number}`)), show(story.branch.model))
          await soundIds(desk)
        } catch (error) {
          const failure = error as Error
          failure.message = `seed ${seed}, step ${step}: ${failure.message}\n${log.join('\n')}`
          throw failure
        }
      }
      assert.equal(await desk.git('fsck', '--strict', '--no-dangling').then(() => 'sound'), 'sound')
    },
    { timeoutMs: 120_000 },
  )
}

test.run()
