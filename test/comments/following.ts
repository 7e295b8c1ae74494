/**
 * Comments stay with their blocks through random edits, renames, moves, commits of plain Git and updates from main. Each
 * commented block has a sentence with a word that is nowhere else, and the comment must be on the block with that word.
 */
import * as assert from 'uvu/assert'
import type { ChangeRequestDesk, Desk } from '../commits/fixture.js'
import { type Random, pick, pickWeighted, randomOfStep } from '../simulation/two-sided/random.js'
import type { Files } from '../support/bare-repository.js'
import type { Caller } from '../support/service.js'

const PAGES = ['alpha', 'beta', 'gamma']
const NOUNS = ['harbor', 'engine', 'letter', 'garden', 'window', 'signal', 'ladder', 'copper', 'saddle', 'meadow']
const VERBS = ['opens', 'holds', 'paints', 'carries', 'follows', 'counts', 'mends', 'draws']

/** A sentence that no other block has. */
const sentence = (page: string, block: number): string =>
  `The ${NOUNS[block % 10]} of ${page} ${VERBS[block % 8]} mark ${page}${block}x before the ${NOUNS[(block * 3 + 1) % 10]} arrives.`

/** The word of a sentence that no other sentence has. */
const nameIn = (sentence: string): string => /mark (\S+)/.exec(sentence)?.[1] ?? sentence

/** The words behind the sentence, which the edits change. */
const tail = (next: Random): string =>
  Array.from({ length: next(5) }, () => pick(next, [...NOUNS, ...VERBS]) ?? '').join(' ')

/** Writes a block of each kind around a text. */
const KINDS: readonly ((text: string, more: string) => string)[] = [
  (text, more) => `${text} ${more}`.trim(),
  (text, more) => `## ${text} ${more}`.trim(),
  (text, more) => `- ${text}\n- second item ${more}`.trim(),
  (text, more) => `{% hint style="info" %}\n${text} ${more}\n{% endhint %}`,
  (text, more) => `\`\`\`js\n// ${text}\nrun('${more}')\n\`\`\``,
  (text, more) => `| Name | Use |\n| ---- | --- |\n| ${text} | ${more || 'none'} |`,
  (text, more) => `> ${text}\n> ${more}`.trim(),
  (text, more) => `1. ${text}\n2. ${more || 'next'}`,
]

/** A block of a page: one that is commented keeps its sentence and its kind. */
interface Block {
  /** Null = a block without a comment. */
  mark: string | null
  kind: number
  more: string
  /** Whether the sentence has another last word. */
  isReworded?: boolean
}
interface Book {
  /** The blocks of each page, by the ID of the page. */
  pages: Map<string, Block[]>
}

const written = (title: string, blocks: readonly Block[]): string =>
  `# ${title}\n\n${blocks
    .map(({ mark, kind, more, isReworded }) => {
      const text = mark ?? 'Words without a comment'
      return (KINDS[kind] ?? KINDS[0])?.(isReworded ? text.replace('arrives', 'returns') : text, more)
    })
    .join('\n\n')}\n`

const titleOf = (text: string): string => /^# (.*)$/m.exec(text)?.[1] ?? ''

/** Changes blocks. A sentence keeps its name. */
function edit(next: Random, blocks: readonly Block[]): Block[] {
  const own = blocks.map((one) => ({ ...one }))
  const at = next(own.length)
  const block = own[at] as Block
  const ways: [number, () => void][] = [
    [4, () => void (block.more = tail(next))],
    [3, () => void own.splice(at, 0, { mark: null, kind: next(KINDS.length), more: tail(next) })],
    [2, () => void own.splice(next(own.length), 0, ...own.splice(at, 1))],
    [2, () => void (block.mark === null ? own.splice(at, 1) : (block.more = ''))],
    [1, () => void own.reverse()],
    [2, () => void (block.isReworded = !block.isReworded)],
  ]
  pickWeighted(next, ways)()
  return own
}

interface Comment {
  id: string
  page: string
  mark: string
}

/** The other side of a change request that is a pull request on a host. */
export interface Host {
  /** Waits until the host has the change request. */
  export(request: ChangeRequestDesk): Promise<void>
  /** Commits files on the branch of the pull request, and waits for them. */
  push(files: Files): Promise<void>
  /** Merges the base branch into the branch of the pull request, and waits for it. */
  mergeBase(): Promise<void>
}

class Story {
  #names = 0

  private constructor(
    readonly desk: Desk,
    readonly request: ChangeRequestDesk,
    readonly book: Book,
    readonly comments: readonly Comment[],
    readonly host: Host | undefined,
  ) {}

  static async begin(next: Random, open: (files: Files) => Promise<{ desk: Desk; host?: Host }>): Promise<Story> {
    const book: Book = { pages: new Map() }
    const begun = PAGES.map((name): [string, Block[]] => [
      name,
      KINDS.map((_, kind) => ({ mark: sentence(name, kind), kind, more: tail(next) })),
    ])
    const { desk, host } = await open({
      'README.md': '# Home\n',
      'SUMMARY.md': `# Summary\n\n* [Home](README.md)\n${PAGES.map((name) => `* [${name}](${name}.md)\n`).join('')}`,
      ...Object.fromEntries(begun.map(([name, blocks]) => [`${name}.md`, written(name, blocks)])),
    })
    const request = await desk.changeRequest('Reworked')
    const comments: Comment[] = []
    for (const [name, blocks] of begun) {
      const page = await desk.id(name)
      book.pages.set(page, blocks)
      const nodes = await nodesOf(desk.admin, request.url, page)
      for (const { mark } of blocks) {
        const node = nodes.find(({ text }) => text.includes(nameIn(mark ?? '-')))?.key
        const sent = { body: { markdown: `About ${mark}` }, page, node }
        const { body } = await desk.admin.call('post', `${request.url}/comments`, sent).expect(200)
        comments.push({ id: body.id, page, mark: mark ?? '' })
      }
    }
    await host?.export(request)
    return new Story(desk, request, book, comments, host)
  }

  sourceOf = async (page: string, at = this.request.url) =>
    (await this.desk.admin.call('get', `${at}/content/page/${page}/source`).expect(200)).body as {
      markdown: string
      git: { path: string; oid: string }
    }

  /** Returns a name that no page has or had. */
  #newName = (prefix: string): string => `${prefix}-${++this.#names}`

  /** Plays a step. Returns its name. */
  async play(next: Random): Promise<string> {
    const { desk, request, book } = this
    const page = pick(next, [...book.pages.keys()]) ?? ''
    const blocks = book.pages.get(page) ?? []
    const { markdown, git } = await this.sourceOf(page)
    const title = titleOf(markdown)
    const steps: [number, string, () => Promise<unknown>][] = [
      [
        6,
        'edit',
        async () => {
          const edited = edit(next, blocks)
          book.pages.set(page, edited)
          const sent = { markdown: written(title, edited) }
          await desk.admin
            .call('put', `${request.url}/content/page/${page}/source`, sent)
            .set('If-Match', `"${git.oid}"`)
            .expect(200)
        },
      ],
      [
        2,
        'edit by hand',
        async () => {
          const edited = edit(next, edit(next, blocks))
          book.pages.set(page, edited)
          const text = written(title, edited)
          await desk.human({ [git.path]: next(2) === 0 ? text : text.replaceAll('\n', '\r\n') }, { ref: request.ref })
        },
      ],
      [1, 'rename', () => request.write([{ operation: 'update_page', page, slug: this.#newName('name') }])],
      [1, 'title', () => request.write([{ operation: 'update_page', page, title: `Title ${next(1_000)}` }])],
      [
        1,
        'move',
        () => {
          const into =
            pick(
              next,
              [...book.pages.keys()].filter((one) => one !== page),
            ) ?? page
          // Below itself, a page cannot be moved.
          return desk.admin.call('post', `${request.url}/content`, {
            changes: [{ operation: 'update_page', page, into }],
          })
        },
      ],
      [2, 'update', () => this.#update(next, page)],
    ]
    if (this.host)
      steps.push(
        [6, 'push on the host', () => this.#push(next, page)],
        [2, 'update on the host', () => this.#mergeBase(next)],
      )
    const [name, run] = pickWeighted(
      next,
      steps.map(([weight, ...step]) => [weight, step] as const),
    )
    await run()
    return name
  }

  /** A person edits a page in the pull request. */
  async #push(next: Random, page: string): Promise<void> {
    await this.host?.export(this.request)
    const { markdown, git } = await this.sourceOf(page)
    const edited = edit(next, this.book.pages.get(page) ?? [])
    this.book.pages.set(page, edited)
    const text = written(titleOf(markdown), edited)
    await this.host?.push({ [git.path]: next(2) === 0 ? text : text.replaceAll('\n', '\r\n') })
  }

  /** Main changes, and a person updates the pull request with it. */
  async #mergeBase(next: Random): Promise<void> {
    await this.desk.human({ 'README.md': `# Home\n\n${tail(next)} ${next(1_000)}\n` })
    await this.host?.export(this.request)
    await this.host?.mergeBase()
  }

  /** Main adds a paragraph, renames a page or both, and the change request takes it over. */
  async #update(next: Random, page: string): Promise<void> {
    const { desk, request } = this
    if (next(3) === 0) await desk.write([{ operation: 'update_page', page, slug: this.#newName('main') }])
    if (next(3) === 0) await desk.human({ 'README.md': `# Home\n\n${tail(next)} ${next(1_000)}\n` })
    const { markdown, git } = await this.sourceOf(page, desk.url)
    await desk.human({ [git.path]: markdown.replace('\n', `\n\nA lead of main, number ${next(1_000)}.\n`) })
    const updated = await desk.admin.call('post', `${request.url}/update`)
    if (updated.status === 200) return
    assert.is(updated.status, 409, updated.text)
    const { body } = await desk.admin.call('get', `${request.url}/conflict-state`).expect(200)
    const resolve = body.conflicts.map(({ key }: { key: string }) => ({ path: key, take: 'change-request' }))
    await request.update(200, { resolve })
  }

  /** Returns the comments that are not on the block with their sentence. */
  async strays(): Promise<string[]> {
    const nodes = new Map<string, { key: string; text: string }[]>()
    for (const page of this.book.pages.keys()) nodes.set(page, await nodesOf(this.desk.admin, this.request.url, page))
    const { body } = await this.desk.admin.call('get', `${this.request.url}/comments?limit=100`).expect(200)
    const targets = new Map(body.items.map((one: { id: string }) => [one.id, one]))
    return this.comments.flatMap(({ id, page, mark }) => {
      const { target } = targets.get(id) as { target: Target }
      if (target.page?.id !== page) return [`${mark} is on the page ${target.page?.id}`]
      const own = nodes.get(page)?.find(({ text }) => text.includes(nameIn(mark)))
      const shown = nodes.get(page)?.find(({ key }) => key === target.node?.id)
      const isGone = target.page.outdated && target.node?.changed !== true
      return own && own === shown && !isGone ? [] : [`${mark} is on ${shown?.text} (${JSON.stringify(target.node)})`]
    })
  }
}

interface Target {
  page?: { id: string; outdated: boolean }
  node?: { id: string; changed?: boolean }
}
interface Node {
  key: string
  nodes?: Node[]
  leaves?: { text: string }[]
  data?: Record<string, unknown>
}

const textOf = (node: Node): string =>
  (node.leaves ?? []).map(({ text }) => text).join('') + (node.nodes ?? []).map(textOf).join('')

/** The blocks of a page with their texts. */
async function nodesOf(admin: Caller, at: string, page: string): Promise<{ key: string; text: string }[]> {
  const { body } = await admin.call('get', `${at}/content/page/${page}?format=document`).expect(200)
  return body.document.nodes.map((node: Node) => ({ key: node.key, text: textOf(node) + JSON.stringify(node.data) }))
}

/** Plays a story of steps. Fails after the first step that moves a comment from its block. */
export async function followComments(
  seed: number,
  steps: number,
  open: (files: Files) => Promise<{ desk: Desk; host?: Host }>,
): Promise<string[]> {
  const story = await Story.begin(randomOfStep(seed, 0), open)
  assert.equal(await story.strays(), [])
  const played: string[] = []
  for (let step = 1; step <= steps; step++) {
    played.push(await story.play(randomOfStep(seed, step)))
    assert.equal(await story.strays(), [], `after ${played.join(', ')}`)
  }
  return played
}
