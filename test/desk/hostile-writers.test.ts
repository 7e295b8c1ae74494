/**
 * Two writers and a person with plain Git work on one page at the same time, through the editor's own state machine:
 * responses and requests are lost, sessions are revoked, roles end and return, and the server restarts. No text that the
 * server confirmed is lost, every other text is in the storage of its writer's browser, and no text appears twice unless a
 * writer kept both sides of a conflict.
 */
import * as assert from 'uvu/assert'
import { openDesk } from '../commits/fixture.js'
import { pickWeighted, randomOfStep } from '../simulation/two-sided/random.js'
import { startService } from '../support/service.js'
import { seeds, size } from '../support/soak.js'
import { suiteWith } from '../support/suite.js'
import { BLOCKS, TEXT, Writer } from './writer.js'

const [test, here] = await suiteWith('desk/hostile-writers', startService)

const STEPS = size(25, 200)

for (const seed of seeds(2, 20))
  test(`no confirmed text is lost, and every other one is kept (seed ${seed})`, async () => {
    const desk = await openDesk(here, { 'page.md': TEXT, 'SUMMARY.md': '* [Page](page.md)\n' })
    const id = await desk.id('page')
    const callers = [await here.caller('edit'), await here.caller('edit')]
    const writers = await Promise.all(callers.map((caller) => Writer.open(desk.url, id, caller)))
    const byHand: string[] = []
    const role = async (writer: Writer, to: string): Promise<unknown> =>
      here.admin.call('patch', `/v1/orgs/${here.organization}/members/${writer.caller.user}`, { role: to }).expect(200)
    for (let step = 0; step < STEPS; step++) {
      const random = randomOfStep(seed, step)
      const writer = writers[random(writers.length)] as Writer
      await pickWeighted<() => unknown>(random, [
        [8, () => writer.type(random, `w${step}x`)],
        [6, () => writer.save()],
        [2, () => void (writer.loss = (['request', 'response', null] as const)[random(3)] ?? null)],
        [1, () => writer.signOut()],
        [1, () => role(writer, random(2) === 0 ? 'read' : 'edit')],
        [
          2,
          async () => {
            const word = `h${step}x`
            const text = (await desk.file('page.md')) ?? ''
            await desk.human({ 'page.md': text.replace(`Block ${random(BLOCKS)} begins.`, (all) => `${all} ${word}`) })
            if ((await desk.file('page.md'))?.includes(word)) byHand.push(word)
          },
        ],
        [step % 10 === 9 ? 2 : 0, () => here.restart()],
      ])()
      for (const one of writers) one.check()
    }
    for (const one of writers) {
      await role(one, 'edit')
      await one.settle()
    }
    const text = (await desk.file('page.md')) ?? ''
    for (const word of [...byHand, ...writers.flatMap(({ typed }) => typed)]) {
      const times = text.split(new RegExp(`\\b${word}\\b`)).length - 1
      assert.ok(times >= 1, `${word} is in ${text}`)
      if (!writers.some((one) => one.hasKeptBoth)) assert.is(times, 1, `${word} is once in ${text}`)
    }
    await desk.git('fsck', '--strict')
  })

test.run()
