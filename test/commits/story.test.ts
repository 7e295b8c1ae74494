/** Random edits of repositories as people write them, with commits by a plain Git user in between. */
import * as assert from 'uvu/assert'
import { type Random, pick, random } from '../simulation/two-sided/random.js'
import { startService } from '../support/service.js'
import { seeds, size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { type Desk, flat, openDesk, type PageJson } from './fixture.js'
import { REPOSITORIES } from './story-repositories.js'

const [test, here] = await suiteWith('stories of edits', startService)

const STEPS = size(14, 100)

/** The values that an edit of another page must not change. */
interface Look {
  pages: PageJson[]
  /** `source ID, target, status`, sorted. */
  links: string[]
  tree: string
}

async function look(desk: Desk): Promise<Look> {
  const { items } = (await desk.admin.call('get', `${desk.url}/links?limit=1000`).expect(200)).body
  const links = items.map(({ status, targetReference: to, locationReferences: [from] }: any) => {
    const target = to?.page ? `${to.page.id}#${to.anchor ?? ''}` : (to?.file?.git?.oid ?? to?.url ?? to?.kind ?? '')
    return `${(from.page ?? from.reusableContent).id} → ${target} ${status}`
  })
  return { pages: flat(await desk.pages()), links: links.sort(), tree: await desk.git('rev-parse', 'main^{tree}') }
}

const named = ({ id, type, title }: PageJson): string => `${id} ${type} ‘${title}’`
const without = (pages: readonly PageJson[], id: string | undefined): string[] =>
  pages
    .filter((page) => page.id !== id)
    .map(named)
    .sort()
/** Whether a page can have subpages. The mdBook chapters outside lists cannot. */
const isListed = ({ title }: PageJson): boolean => !/^(Introduction|Foreword|Contributors|Licence)$/.test(title)

/** Lines that a commit removed and added, by file. */
async function changedLines(desk: Desk, from: string): Promise<Map<string, { gone: string[]; come: string[] }>> {
  const found = new Map<string, { gone: string[]; come: string[] }>()
  let file = { gone: [] as string[], come: [] as string[] }
  for (const line of (await desk.git('diff', '-U0', '-M20%', '--no-prefix', from, 'main^{tree}')).split('\n')) {
    const path = /^\+\+\+ (.*?)\t?$/.exec(line)?.[1]
    if (path !== undefined) found.set(path, (file = { gone: [], come: [] }))
    else if (/^-(?!-- )/.test(line)) file.gone.push(line.slice(1).trimEnd())
    else if (/^\+(?!\+\+ )/.test(line)) file.come.push(line.slice(1).trimEnd())
  }
  return found
}

/** One story: its steps, with what each must preserve. */
class Story {
  #made = 0

  constructor(
    private readonly desk: Desk,
    private readonly next: Random,
    readonly log: string[],
  ) {}

  async step(before: Look): Promise<void> {
    const steps = [
      this.retitle,
      this.rename,
      this.move,
      this.hide,
      this.insert,
      this.editBlock,
      this.editBlock,
      this.byHand,
    ]
    await (pick(this.next, steps) as typeof this.retitle).call(this, before)
  }

  /** A page with a file. */
  #page({ pages }: Look, is: (page: PageJson) => boolean = () => true): PageJson {
    return pick(
      this.next,
      pages.filter((page) => page.type === 'document' && is(page)),
    ) as PageJson
  }

  async #write(page: PageJson, change: object): Promise<void> {
    this.log.push(`${page.git?.path}: ${JSON.stringify(change)}`)
    await this.desk.write([{ operation: 'update_page', page: page.id, ...change }])
  }

  /** Checks that only this page changed: other pages are the same, and all links have the same targets. */
  async #keeps(before: Look, id: string): Promise<Look> {
    const after = await look(this.desk)
    assert.equal(without(after.pages, id), without(before.pages, id), 'other pages')
    assert.equal(after.links, before.links, 'links')
    return after
  }

  async retitle(before: Look): Promise<void> {
    const page = this.#page(before)
    await this.#write(page, { title: `*New* [title] ${++this.#made}` })
    await this.#keeps(before, page.id)
    for (const [path, { gone, come }] of await changedLines(this.desk, before.tree)) {
      assert.ok(gone.length <= 1 && come.length <= 1, `${path}: ${gone.join(' / ')} → ${come.join(' / ')}`)
      assert.match(come[0] ?? '', `title\\] ${this.#made}`)
    }
    await this.#write(page, { title: page.title })
    assert.equal(without((await look(this.desk)).pages, undefined), without(before.pages, undefined))
  }

  async rename(before: Look): Promise<void> {
    const page = this.#page(before, ({ git }) => !/^(docs\/)?readme\.md$/i.test(git?.path ?? ''))
    await this.#write(page, { slug: `re named-${++this.#made}` })
    await this.#keeps(before, page.id)
    for (const [path, { gone, come }] of await changedLines(this.desk, before.tree)) {
      assert.is(gone.length, come.length, path)
      const words = (line: string): string =>
        line.replaceAll(/\]\([^)]*\)|(?<=href=)"[^"]*"|\{\{#.*?\}\}|(?<=^\[.*\]: ).*/g, '')
      assert.equal(come.map(words), gone.map(words), path)
    }
    await this.#write(page, { slug: page.slug })
    const back = await this.#keeps(before, page.id)
    assert.is(back.pages.find(({ id }) => id === page.id)?.path, page.path)
  }

  async move(before: Look): Promise<void> {
    const [page, parent] = [this.#page(before), this.#page(before, isListed)]
    if (flat([page]).some(({ id }) => id === parent.id)) return
    await this.#write(page, { into: parent.id, at: 0 })
    const after = await this.#keeps(before, page.id)
    assert.is(after.pages.find(({ id }) => id === parent.id)?.pages[0]?.id, page.id)
  }

  async hide(before: Look): Promise<void> {
    const page = this.#page(before)
    await this.#write(page, { hidden: true })
    await this.#write(page, { hidden: false })
    assert.is((await look(this.desk)).tree, before.tree, 'bytes')
  }

  async insert(before: Look): Promise<void> {
    const into = this.#page(before, isListed)
    const title = `Inserted ${++this.#made}`
    this.log.push(`insert ${title} into ${into.git?.path}`)
    const { changes } = await this.desk.write([
      { operation: 'insert_page', title, into: into.id, at: 0, document: { markdown: `# ${title}\n` } },
    ])
    await this.#keeps(before, changes[0].page)
    if (this.next(2) === 0) return
    this.log.push('delete it')
    await this.desk.write([{ operation: 'delete_page', page: changes[0].page }])
    assert.equal((await this.#keeps(before, '')).pages.map(named), before.pages.map(named))
  }

  /** Changes one word of a page, as a block tree. */
  async editBlock(before: Look): Promise<void> {
    const page = this.#page(before)
    const { document } = (
      await this.desk.admin.call('get', `${this.desk.url}/content/page/${page.id}?format=document`).expect(200)
    ).body
    const leaves: { text: string }[] = []
    const visit = (node: any): void => {
      if (node.object === 'leaf' && /\w/.test(node.text)) leaves.push(node)
      for (const child of [...(node.nodes ?? []), ...(node.leaves ?? [])]) visit(child)
    }
    visit(document)
    const leaf = pick(this.next, leaves)
    if (!leaf) return
    const word = /\w+/.exec(leaf.text)?.[0] as string
    const put = `edited${++this.#made}`
    leaf.text = leaf.text.replace(word, put)
    this.log.push(`${page.git?.path}: ‘${word}’ → ${put} in a block`)
    await this.desk.write([{ operation: 'update_page', page: page.id, document: { document } }])
    const lines = await changedLines(this.desk, before.tree)
    assert.equal([...lines.keys()], [page.git?.path])
    for (const { gone, come } of lines.values()) {
      assert.equal([gone.length, come.length], [1, 1], `${gone.join('\n')}\n→\n${come.join('\n')}`)
      assert.is(come[0]?.replace(put, word), gone[0])
    }
    const after = await look(this.desk)
    assert.equal(without(after.pages, page.id), without(before.pages, page.id), 'other pages')
    assert.is(after.links.length, before.links.length)
  }

  async byHand(before: Look): Promise<void> {
    const path = this.#page(before).git?.path as string
    this.log.push(`${path}: by hand`)
    const text = (await this.desk.file(path)) as string
    await this.desk.human({
      [path]: `${text}${text.includes('\r\n') ? `\r\nHand ${++this.#made}.\r\n` : `\nHand ${++this.#made}.\n`}`,
    })
    await this.#keeps(before, '')
  }
}

for (const seed of seeds(1, 20))
  for (const [what, files] of Object.entries(REPOSITORIES))
    test(`a story of random edits preserves a repository ${what}, seed ${seed}`, async () => {
      const desk = await openDesk(here, files)
      const log: string[] = []
      const story = new Story(desk, random(seed), log)
      const commented = flat(await desk.pages()).filter(({ type }) => type === 'document')[1] as PageJson
      const comment = (
        await desk.admin
          .call('post', `${desk.url}/comments`, { body: { markdown: 'Here.' }, page: commented.id })
          .expect(200)
      ).body
      try {
        for (let step = 0; step < STEPS; step++) await story.step(await look(desk))
        const now = (await desk.admin.call('get', `${desk.url}/comments/${comment.id}`).expect(200)).body
        assert.is(now.status, comment.status)
        assert.is(await desk.git('fsck', '--strict', '--no-dangling'), '')
      } catch (fault) {
        throw new Error(
          `${(fault as Error).message} ${JSON.stringify((fault as any).details ?? '')}\n${log.join('\n')}`,
          { cause: fault },
        )
      }
    })

test.run()
