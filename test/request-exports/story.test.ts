import * as assert from 'uvu/assert'
import { suiteWith } from '../support/suite.js'
import { MINUTE, startExporting } from './fixture.js'

const [test, here] = await suiteWith('a story of exported change requests', startExporting)

/** Numbers below `n` that depend only on the seed. */
function dice(seed: number): (n: number) => number {
  let state = seed
  return (n) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >>> 8) % n
  }
}

/** `REQUEST_SEEDS=60 npm test -- request-exports/story` plays sixty stories, starting with `REQUEST_SEED`. */
const SEEDS = Number(process.env.REQUEST_SEEDS ?? 1)
const FIRST_SEED = Number(process.env.REQUEST_SEED ?? 20_261)
const REQUESTS = 5

for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++)
  test(`each change request ends once, in one place, despite disturbances (seed ${seed})`, () => tell(seed))

async function tell(seed: number): Promise<void> {
  const roll = dice(seed)
  const story = await here.connected({
    'README.md': '# Home\n',
    'SUMMARY.md': '# Table of contents\n\n* [Home](README.md)\n',
  })
  const pages: string[] = []
  const ends = ['merge', 'squash', 'rebase', 'here'] as const
  for (let turn = 0; turn < REQUESTS; turn++) {
    const told = `seed ${seed}, turn ${turn}`
    const end = ends[turn < ends.length ? turn : roll(ends.length)] as (typeof ends)[number]
    const number = await story.request(`Page ${turn}`, `Text ${turn}.\n`)
    const path = `${story.base}/change-requests/${number}`
    const { branch, problem } = await story.export(number)
    assert.is(problem, undefined, told)
    pages.push(`Page ${turn}`)
    // A rebase does not repeat merges, so main stays as it is before one.
    if (end !== 'rebase' && roll(2) === 0) {
      await story.write(`Main ${turn}`, 'On main.\n')
      pages.push(`Main ${turn}`)
      await here.forward(11_000)
      await here.service.admin.call('post', `${path}/update`).expect(200)
      await here.forward(11_000)
    }
    if (roll(2) === 0) await story.bare.commit({ [`host-${turn}.md`]: `# Host ${turn}\n` })
    if (roll(2) === 0)
      await story.bare.commit(
        { [`people-${turn}.md`]: `# People ${turn}\n` },
        { ref: branch, message: 'A page of people' },
      )
    await here.forward(6 * MINUTE)
    if (end === 'here') await here.service.admin.call('post', `${path}/merge`).expect(200)
    else await story.merge(end, story.host.repository.pulls.length - 1)
    for (let times = 0; times < 3; times++) await here.forward(6 * MINUTE)
    const exported = await story.exported(number)
    assert.equal(
      [(await story.changeRequest(number)).status, exported.status],
      ['merged', end === 'here' ? 'closed' : 'merged'],
      `${told}: ${JSON.stringify(exported)}`,
    )
    assert.equal(await story.files(), await story.remoteFiles(), told)
  }
  assert.is(story.host.repository.pulls.length, REQUESTS)
  assert.equal([await story.all('open'), await story.all('draft')], [[], []])
  const summary = (await story.files())['SUMMARY.md'] ?? ''
  for (const title of pages) assert.is(summary.split(`[${title}]`).length, 2, `${title} is listed once`)
  assert.is((await story.git('fsck', '--strict', '--no-dangling')).trim(), '')
}

test.run()
