/**
 * Pages that one client writes line by line. Each edit requires that the page is what the client knows. No line may be
 * lost or duplicated.
 */
import type { Answer } from './asker.js'
import { checkMarks, marksOf } from './marks.js'
import type { Client, Deed, Reader } from './world.js'

/** The number of lines on a page before the next page is started. */
const FULL = 40

interface Journal {
  space: string
  slug: string
  page: string
  /** The content of the page at `revision`. */
  known: string[]
  revision: string
  acknowledged: string[]
  /** A write that was requested and whose outcome is unknown. */
  open: string[]
}

export class Journals implements Deed {
  readonly weight = 10
  readonly #client: Client
  readonly #all: Journal[] = []
  #current: Journal | null = null

  constructor(client: Client) {
    this.#client = client
  }

  async act(): Promise<void> {
    if (this.#current === null || this.#current.known.length >= FULL) this.#current = await this.#begin()
    else await this.#append(this.#current)
  }

  /** A page with a unique slug. The client repeats the request until a response confirms that the page exists. */
  async #begin(): Promise<Journal | null> {
    const { world } = this.#client
    const [space, slug, first] = [this.#client.space(), world.name('journal'), world.name('mark')]
    const changes = [{ operation: 'insert_page', title: slug, slug, document: { markdown: textOf(slug, [first]) } }]
    for (;;) {
      const answer = await this.#client.insist({
        method: 'POST',
        path: `/v1/spaces/${space}/content`,
        body: { changes },
        expect: [200, 400, 409],
      })
      if (answer === null) return null
      const found =
        answer.status === 200
          ? answer
          : await this.#client.insist({
              method: 'GET',
              path: `/v1/spaces/${space}/content/path/${slug}`,
              expect: [200, 404],
            })
      if (found === null) return null
      if (found.status === 404) continue
      const page = answer.status === 200 ? answer.body.changes[0].page : found.body.id
      const journal: Journal = {
        space,
        slug,
        page,
        known: [first],
        revision: answer.body?.revision ?? '',
        acknowledged: [first],
        open: [],
      }
      this.#all.push(journal)
      world.count('pages inserted')
      if (journal.revision === '') await this.#read(journal)
      await this.#look(journal)
      return journal
    }
  }

  async #append(journal: Journal): Promise<void> {
    const mark = this.#client.world.name('mark')
    const changes = [
      {
        operation: 'update_page',
        page: journal.page,
        document: { markdown: textOf(journal.slug, [...journal.known, mark]) },
      },
    ]
    const question = {
      method: 'POST',
      path: `/v1/spaces/${journal.space}/content`,
      body: { changes },
      headers: { 'If-Match': `"${journal.revision}"` },
      expect: [200, 409],
    }
    journal.open.push(mark)
    let answer = await this.#client.ask(question)
    // Repeats the request, as a client without a response does. The line must not appear twice.
    if (answer.status === 0 && this.#client.chance(50)) answer = await this.#client.ask(question)
    await this.#note(journal, mark, answer)
  }

  async #note(journal: Journal, mark: string, answer: Answer): Promise<void> {
    const { world } = this.#client
    if (answer.status === 200) {
      journal.open.splice(journal.open.indexOf(mark), 1)
      journal.acknowledged.push(mark)
      journal.known.push(mark)
      journal.revision = answer.body.revision
      world.count('edits acknowledged')
      await this.#look(journal)
    } else {
      world.count(answer.status === 409 ? 'edits refused' : 'edits open')
      await this.#read(journal)
    }
  }

  /** The page at the head of main, for the next edit. */
  async #read(journal: Journal): Promise<void> {
    const space = await this.#client.insist({ method: 'GET', path: `/v1/spaces/${journal.space}`, expect: [200] })
    if (space?.status !== 200) return
    const revision = space.body.revision as string
    const page = await this.#client.insist({
      method: 'GET',
      path: `/v1/spaces/${journal.space}/revisions/${revision}/page/${journal.page}`,
      expect: [200],
    })
    if (page?.status !== 200) return
    journal.revision = revision
    journal.known = marksOf(page.body.markdown)
    this.#judge(journal, journal.known, 'the revision read after an edit that got no answer')
  }

  async #look(journal: Journal): Promise<void> {
    await this.#client.everywhere(`/v1/spaces/${journal.space}/content/page/${journal.page}`, (body, where) =>
      this.#judge(journal, marksOf(body.markdown), where),
    )
  }

  #judge(journal: Journal, found: string[], where: string): void {
    const wrong = checkMarks(found, journal.acknowledged, journal.open)
    if (wrong !== null) this.#client.fault(`${journal.slug} of ${journal.space} at ${where}: ${wrong}`)
  }

  async check(reader: Reader): Promise<void> {
    for (const journal of this.#all) {
      const named = (await reader.pages(journal.space)).filter(({ title }) => title === journal.slug)
      if (named.length !== 1) reader.fault(`${journal.slug} is there ${named.length} times`)
      const page = await reader.get(`/v1/spaces/${journal.space}/content/page/${journal.page}`)
      const wrong = checkMarks(marksOf(page?.markdown ?? ''), journal.acknowledged, journal.open)
      if (wrong !== null) reader.fault(`${journal.slug} of ${journal.space}: ${wrong}`)
    }
  }
}

const textOf = (title: string, marks: readonly string[]): string =>
  `# ${title}\n\n${marks.map((mark) => `* ${mark}`).join('\n')}\n`
