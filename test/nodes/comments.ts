/** Creates, changes, answers and deletes comments of a space. */
import { pick } from '../simulation/two-sided/random.js'
import type { Client, Deed, Reader } from './world.js'

interface Known {
  space: string
  text: string
  /** The texts that the comment may have, because the outcome of some changes is unknown. */
  open: string[]
  /** Null if it was not acknowledged. */
  id: string | null
  gone: 'no' | 'asked' | 'yes'
}

export class Comments implements Deed {
  readonly weight = 6
  readonly #client: Client
  readonly #all: Known[] = []

  constructor(client: Client) {
    this.#client = client
  }

  async act(): Promise<void> {
    const one = this.#client.chance(40)
      ? pick(
          this.#client.random,
          this.#all.filter(({ id, gone }) => id !== null && gone === 'no'),
        )
      : null
    if (one === null) return this.#make()
    return this.#client.chance(25) ? this.#remove(one) : this.#change(one)
  }

  async #make(): Promise<void> {
    const { world } = this.#client
    const known: Known = { space: this.#client.space(), text: world.name('comment'), open: [], id: null, gone: 'no' }
    this.#all.push(known)
    const answer = await this.#client.ask({
      method: 'POST',
      path: `/v1/spaces/${known.space}/comments`,
      body: { body: { markdown: known.text } },
      expect: [200],
    })
    if (answer.status !== 200) return world.count('comments open')
    known.id = answer.body.id
    world.count('comments acknowledged')
    await this.#look(known)
  }

  async #change(known: Known): Promise<void> {
    const text = this.#client.world.name('comment')
    known.open.push(text)
    const answer = await this.#client.ask({
      method: 'PUT',
      path: pathOf(known),
      body: { body: { markdown: text } },
      expect: [200],
    })
    if (answer.status !== 200) return this.#client.world.count('comment changes open')
    // An earlier change without a response may still arrive and overwrite this one.
    known.open.splice(known.open.indexOf(text), 1)
    known.text = text
    this.#client.world.count('comment changes acknowledged')
    await this.#look(known)
  }

  async #remove(known: Known): Promise<void> {
    known.gone = 'asked'
    const answer = await this.#client.insist({ method: 'DELETE', path: pathOf(known), expect: [204] })
    if (answer?.status !== 204) return
    known.gone = 'yes'
    this.#client.world.count('comments deleted')
    const seen = await this.#client.ask({ method: 'GET', path: pathOf(known), expect: [404] })
    if (seen.status === 200) this.#client.fault(`${known.text} was deleted and is there`)
  }

  async #look(known: Known): Promise<void> {
    await this.#client.everywhere(pathOf(known), ({ body }, where) => {
      if (![known.text, ...known.open].includes(body.markdown.trim()))
        this.#client.fault(`comment ${known.id} is ${body.markdown} at ${where}, not ${known.text}`)
    })
  }

  async check(reader: Reader): Promise<void> {
    for (const known of this.#all) {
      const texts = [known.text, ...known.open]
      const found = (await reader.list(`/v1/spaces/${known.space}/comments`)).filter(({ id, body }) =>
        known.id === null ? texts.includes(body.markdown.trim()) : id === known.id,
      )
      const expected = known.gone === 'yes' ? [0] : known.id === null || known.gone === 'asked' ? [0, 1] : [1]
      if (!expected.includes(found.length))
        reader.fault(`${known.text} (${known.id}, gone: ${known.gone}) is there ${found.length} times`)
      if (found.some(({ body }) => !texts.includes(body.markdown.trim())))
        reader.fault(`comment ${known.id} is ${found[0]?.body.markdown}, none of ${texts}`)
    }
  }
}

const pathOf = ({ space, id }: Known): string => `/v1/spaces/${space}/comments/${id}`
