/**
 * Plays random combinations of structure, claims, keys, pages, outputs, spellings and host names against a model of what
 * each visitor may see. `gate/outputs.ts` lists the outputs.
 */
import * as assert from 'uvu/assert'
import { firstSeed, isSoak, runs, size } from '../support/soak.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'
import { playStory } from './gate/story.js'

const WORLDS = runs(1, 40)
const COMBINATIONS = size(60, 250)
const MAX_LEAKS = size(1, 20)
/** Half of the worlds have a host name per organization. */
const ORIGINS = [null, 'docs.example.org']

const test = suite('site: gate')

test('no combination of visitor, page, output and address reveals what the visitor may not see', async () => {
  const totals = { combinations: 0, requests: 0, changes: 0 }
  const leaks: string[] = []
  for (const [at, wildcard] of ORIGINS.entries()) {
    const env = wildcard === null ? {} : { BINDERY_SITES_ORIGIN: `https://*.${wildcard}` }
    const service: TestService = await startService({ env })
    try {
      const guest = await service.caller()
      for (let world = at; world < WORLDS && leaks.length < MAX_LEAKS; world += ORIGINS.length) {
        const told = await playStory(
          { service, wildcard, guest },
          isSoak ? firstSeed() * 1_000 + world : 1,
          COMBINATIONS,
        )
        for (const name of ['combinations', 'requests', 'changes'] as const) totals[name] += told[name]
        leaks.push(...told.leaks)
      }
    } finally {
      await service.close()
    }
  }
  if (isSoak) console.log(JSON.stringify(totals))
  assert.is(leaks.join('\n\n'), '')
  assert.is(totals.combinations, WORLDS * COMBINATIONS)
})

test.run()
