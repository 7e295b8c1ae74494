/** Measures how long the service takes to accept writes again. */
import { setTimeout as wait } from 'node:timers/promises'
import { pick } from '../simulation/two-sided/random.js'
import type { Door } from './asker.js'
import type { Client, World } from './world.js'

export class Prober {
  readonly #client: Client
  readonly #pages = new Map<string, string>()
  #turn = 0

  constructor(world: World) {
    // On a connection that died in an earlier disturbance, the prober would measure its own timeout.
    this.#client = world.client(1000, false)
  }

  async prepare(): Promise<void> {
    for (const space of this.#client.world.spaces) {
      const changes = [{ operation: 'insert_page', title: 'Probe', slug: 'probe', document: { markdown: '# Probe\n' } }]
      const answer = await this.#client.insist({
        method: 'POST',
        path: `/v1/spaces/${space}/content`,
        body: { changes },
        expect: [200],
      })
      this.#pages.set(space, answer?.body.changes?.[0].page)
    }
  }

  /** Whether the database and a node can be reached. */
  get possible(): boolean {
    return this.#client.world.cluster.good().length > 0
  }

  /**
   * Waits until that is possible. Then measures the milliseconds until each space has accepted a write and shows it.
   */
  async resumed(): Promise<number> {
    while (!this.possible) await wait(5)
    const started = performance.now()
    await Promise.all([...this.#pages].map(([space, page]) => this.#write(space, page)))
    return Math.round(performance.now() - started)
  }

  async #write(space: string, page: string): Promise<void> {
    while (!this.#client.world.failed) {
      const door = pick(this.#client.random, this.#client.world.cluster.good()) as Door | null
      if (door !== null) {
        const changes = [{ operation: 'update_page', page, document: { markdown: `# Probe\n\n${++this.#turn}\n` } }]
        const written = await this.#client.ask(
          { method: 'POST', path: `/v1/spaces/${space}/content`, body: { changes }, expect: [200] },
          door,
        )
        if (written.status === 200) return
      }
      await wait(50)
    }
  }
}
