/**
 * Writes documents outside spaces, and spaces themselves: teams, tokens that work until they are revoked, and new
 * spaces that every node can read.
 */
import type { Client, Deed, Reader } from './world.js'

/** A story with more spaces than this takes long to check at its end. */
const MAX_SPACES = 8

interface Named {
  name: string
  id: string | null
}

export class Documents implements Deed {
  readonly weight = 3
  readonly #client: Client
  readonly #teams: Named[] = []
  readonly #spaces: Named[] = []
  /** Secrets that must work, and secrets that must not. */
  readonly #valid: string[] = []
  readonly #revoked: string[] = []

  constructor(client: Client) {
    this.#client = client
  }

  async act(): Promise<void> {
    const kind = this.#client.random(10)
    if (kind < 4) return this.#team()
    if (kind < 9) return this.#token()
    if (this.#client.world.spaces.length < MAX_SPACES) return this.#space()
  }

  get #org(): string {
    return `/v1/orgs/${this.#client.world.cluster.organization}`
  }

  async #team(): Promise<void> {
    const { world } = this.#client
    const team: Named = { name: world.name('team'), id: null }
    this.#teams.push(team)
    const answer = await this.#client.ask({
      method: 'PUT',
      path: `${this.#org}/teams`,
      body: { title: team.name },
      expect: [201],
    })
    if (answer.status !== 201) return world.count('teams open')
    team.id = answer.body.id
    world.count('teams acknowledged')
    await this.#client.everywhere(`${this.#org}/teams/${team.id}`, ({ title }, where) => {
      if (title !== team.name) this.#client.fault(`${team.name} is called ${title} at ${where}`)
    })
  }

  /** The token is created on one node, used on another and revoked on a third. Then all nodes reject it. */
  async #token(): Promise<void> {
    const { world } = this.#client
    const answer = await this.#client.ask({
      method: 'POST',
      path: '/v1/user/tokens',
      body: { label: world.name('token') },
      expect: [201],
    })
    if (answer.status !== 201) return world.count('tokens open')
    const { id, token } = answer.body
    world.count('tokens acknowledged')
    await this.#use(token, 200)
    if (this.#client.chance(50)) {
      this.#valid.push(token)
      return
    }
    const revoked = await this.#client.insist({ method: 'DELETE', path: `/v1/user/tokens/${id}`, expect: [204] })
    if (revoked?.status !== 204) return
    world.count('tokens revoked')
    this.#revoked.push(token)
    await this.#use(token, 401)
  }

  /** Checks each node, and also the tokens of earlier checks. */
  async #use(token: string, status: number): Promise<void> {
    const { cluster } = this.#client.world
    const asker = cluster.asker(`${this.#client.name} with a token`, token)
    await Promise.all(
      cluster.nodes.map((node) => asker.ask(node, { method: 'GET', path: '/v1/user', expect: [status] })),
    )
    asker.close()
  }

  async #space(): Promise<void> {
    const { world } = this.#client
    const space: Named = { name: world.name('space'), id: null }
    this.#spaces.push(space)
    const body = { title: space.name, editMode: 'live' }
    const answer = await this.#client.ask({ method: 'POST', path: `${this.#org}/spaces`, body, expect: [201] })
    if (answer.status !== 201) return world.count('spaces open')
    space.id = answer.body.id as string
    world.count('spaces acknowledged')
    await this.#client.everywhere(`/v1/spaces/${space.id}/content/pages`, () => {})
    world.spaces.push(space.id)
  }

  async check(reader: Reader): Promise<void> {
    const lists = { teams: this.#teams, spaces: this.#spaces }
    for (const [kind, all] of Object.entries(lists)) {
      const list = await reader.list(`${this.#org}/${kind}`)
      for (const { name, id } of all) {
        const found = list.filter(({ title }) => title === name)
        if (found.length > 1 || (id !== null && found[0]?.id !== id))
          reader.fault(`${name} (${id}) is there as ${found.map((one) => one.id)}`)
      }
    }
    for (const token of this.#valid) await this.#use(token, 200)
    for (const token of this.#revoked) await this.#use(token, 401)
  }
}
