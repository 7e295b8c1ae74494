/** Change requests from creation to merge, each step on another node. */
import { marksOf } from './marks.js'
import type { Client, Deed, Reader } from './world.js'

interface Known {
  space: string
  subject: string
  number: number | null
  /** The pages that it adds, by slug. Each may have been requested several times. */
  slug: string
  mark: string
  written: boolean
  /** The revision that merged it. */
  merged: string | null
}

export class Requests implements Deed {
  readonly weight = 3
  readonly #client: Client
  readonly #all: Known[] = []

  constructor(client: Client) {
    this.#client = client
  }

  async act(): Promise<void> {
    const { world } = this.#client
    const known: Known = {
      space: this.#client.space(),
      subject: world.name('subject'),
      number: null,
      slug: world.name('added'),
      mark: world.name('mark'),
      written: false,
      merged: null,
    }
    this.#all.push(known)
    const made = await this.#client.ask({
      method: 'POST',
      path: this.#base(known),
      body: { subject: known.subject },
      expect: [201],
    })
    if (made.status !== 201) return world.count('change requests open')
    known.number = made.body.number
    world.count('change requests acknowledged')
    await this.#look(known)
    await this.#write(known)
    if (known.written) await this.#merge(known)
  }

  #base({ space, number }: Known): string {
    return `/v1/spaces/${space}/change-requests${number === null ? '' : `/${number}`}`
  }

  /** Adds a page, and repeats the request until a response confirms it. */
  async #write(known: Known): Promise<void> {
    const changes = [
      {
        operation: 'insert_page',
        title: known.slug,
        slug: known.slug,
        document: { markdown: `# ${known.slug}\n\n${known.mark}\n` },
      },
    ]
    for (let tries = 0; tries < 20; tries++) {
      const path = `${this.#base(known)}/content`
      const answer = await this.#client.insist({ method: 'POST', path, body: { changes }, expect: [200, 400, 409] })
      if (answer === null) return
      if (answer.status !== 200) {
        const page = await this.#client.insist({
          method: 'GET',
          path: `${path}/path/${known.slug}`,
          expect: [200, 404],
        })
        if (page === null) return
        if (page.status === 404) continue
      }
      known.written = true
      this.#client.world.count('change request edits acknowledged')
      return this.#client.everywhere(`${path}/path/${known.slug}`, ({ markdown }, where) => {
        if (!marksOf(markdown).includes(known.mark)) this.#client.fault(`${known.slug} at ${where} is without its text`)
      })
    }
  }

  async #merge(known: Known): Promise<void> {
    for (let tries = 0; tries < 20; tries++) {
      // A merge of a merged change request returns its revision again.
      const answer = await this.#client.insist({
        method: 'POST',
        path: `${this.#base(known)}/merge`,
        expect: [200, 409],
      })
      if (answer === null) return
      if (answer.status === 409) {
        this.#client.world.count('merges refused')
        continue
      }
      known.merged = answer.body.revision
      this.#client.world.count('merges acknowledged')
      await this.#look(known)
      await this.#client.everywhere(`/v1/spaces/${known.space}/content/path/${known.slug}`, ({ markdown }, where) => {
        if (!marksOf(markdown).includes(known.mark))
          this.#client.fault(`${known.slug} at ${where} is without its text after the merge`)
      })
      return
    }
    this.#client.fault(`the merge of ${known.subject} was refused with 409 twenty times`)
  }

  async #look(known: Known): Promise<void> {
    await this.#client.everywhere(this.#base(known), ({ subject, status, revisionMerged }, where) => {
      if (subject !== known.subject)
        this.#client.fault(`${known.subject} (${known.number}) is called ${subject} at ${where}`)
      if (known.merged !== null && (status !== 'merged' || revisionMerged !== known.merged))
        this.#client.fault(
          `${known.subject} was merged as ${known.merged} and is ${status} ${revisionMerged} at ${where}`,
        )
    })
  }

  async check(reader: Reader): Promise<void> {
    for (const known of this.#all) {
      const list = await reader.list(`/v1/spaces/${known.space}/change-requests`)
      const found = list.filter(({ subject }) => subject === known.subject)
      const most = found.length <= 1
      if (!most || (known.number !== null && found[0]?.number !== known.number))
        reader.fault(`${known.subject} (${known.number}) is there as ${found.map(({ number }) => number)}`)
      if (known.merged !== null && found[0]?.revisionMerged !== known.merged)
        reader.fault(`${known.subject} was merged as ${known.merged}, not as ${found[0]?.revisionMerged}`)
      const pages = (await reader.pages(known.space)).filter(({ title }) => title === known.slug)
      const least = known.merged === null ? 0 : 1
      if (pages.length < least || pages.length > 1)
        reader.fault(`${known.slug} of ${known.subject} is there ${pages.length} times`)
    }
  }
}
