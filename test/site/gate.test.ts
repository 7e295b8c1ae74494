/**
 * Plays random combinations of structure, claims, keys, pages, outputs, spellings and host names against a model of what
 * each visitor may see. `gate/outputs.ts` lists the outputs. `GATE_WORLD=101028` plays the world of this seed alone.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { firstSeed, isSoak, runs, size } from '../support/soak.js'
import { startService, type TestService } from '../support/service.js'
import { freePort } from '../support/sshd.js'
import { suite } from '../support/suite.js'
import { playStory } from './gate/story.js'

const COMBINATIONS = size(45, 250)
const MAX_LEAKS = size(1, 20)
/** Worlds with an odd seed have a host name per organization. */
const ORIGINS = [null, 'docs.example.org']
const { GATE_WORLD } = process.env
const WORLDS =
  GATE_WORLD === undefined
    ? Array.from({ length: runs(4, 40) }, (_, at) => (isSoak ? firstSeed() * 1_000 : 0) + at)
    : [Number(GATE_WORLD)]

const test = suite('site: gate')

/** Lets pictures of pages consist of the HTML that they show. Chromium would make an image, in which no word can be found. */
function showCards({ service, dir }: TestService): void {
  service.app.printer.missing = () => null
  service.app.cards.picture = async (_owner, key, html) => {
    const path = join(dir, `${key}.html`)
    await writeFile(path, html)
    return { path, bytes: Buffer.byteLength(html), digest: key }
  }
}

test('no combination of visitor, page, output and address reveals hidden content', async () => {
  const totals = { combinations: 0, requests: 0, changes: 0 }
  const leaks: string[] = []
  for (const [at, wildcard] of ORIGINS.entries()) {
    const port = await freePort()
    const origin = wildcard === null ? {} : { BINDERY_SITES_ORIGIN: `https://*.${wildcard}` }
    const service = await startService({ env: { BINDERY_SITES_PORT: String(port), ...origin } })
    try {
      const [guest, former] = [await service.caller(), await service.caller()]
      showCards(service)
      const here = { service, port, wildcard, guest, former }
      for (const seed of WORLDS.filter((one) => one % ORIGINS.length === at)) {
        if (leaks.length >= MAX_LEAKS) break
        const told = await playStory(here, seed, COMBINATIONS)
        for (const name of ['combinations', 'requests', 'changes'] as const) totals[name] += told[name]
        leaks.push(...told.leaks)
      }
    } finally {
      await service.close()
    }
  }
  if (isSoak) console.log(JSON.stringify(totals))
  assert.is(leaks.join('\n\n'), '')
  assert.is(totals.combinations, WORLDS.length * COMBINATIONS)
})

test.run()
