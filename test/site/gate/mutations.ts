/** Changes of a world, each with its effect on the model. Decisions follow with the response of the change. */
import * as assert from 'uvu/assert'
import { pick } from '../../simulation/two-sided/random.js'
import { call, learnIds, putFiles, setPart } from './build.js'
import { SCHEMA, someCondition } from './claims.js'
import { filesOf, markdownOf } from './content.js'
import { changeHosts } from './hosts.js'
import type { Situation } from './send.js'
import { openProposal } from './visitors.js'
import { type Page, type Part, partsOf, pathOf, type Site, type Space } from './world.js'

/** The thing that changed, near which the next combinations are. */
export interface Changed {
  page?: Page
  part?: Part
}
type Change = (situation: Situation, site: Site, space: Space) => Promise<Changed>

const rewrite = async ({ here }: Situation, space: Space): Promise<void> => {
  await putFiles(here, space, filesOf(space))
  await learnIds(here, space)
}

const readable = ({ pages }: Space): Page[] =>
  pages.filter((page) => !page.draft && !page.gone && !page.unreadable && page !== pages[0])

const update = (situation: Situation, space: Space, page: Page, members: object) =>
  call(situation.here, 'post', `/v1/spaces/${space.id}/content`, {
    changes: [{ operation: 'update_page', page: page.id, ...members }],
  })

const CHANGES: readonly Change[] = [
  async function hide(situation, _site, space) {
    const page = pick(situation.world.next, readable(space))
    if (!page) return {}
    page.hidden = !page.hidden
    if (situation.world.next(2)) await update(situation, space, page, { hidden: page.hidden || null })
    else await rewrite(situation, space)
    return { page }
  },
  async function condition(situation, _site, space) {
    const page = pick(situation.world.next, readable(space))
    if (!page) return {}
    page.condition = page.condition ? null : someCondition(situation.world.next)
    if (situation.world.next(2)) await update(situation, space, page, { condition: page.condition?.text ?? null })
    else await rewrite(situation, space)
    return { page }
  },
  async function text(situation, _site, space) {
    const page = pick(situation.world.next, readable(space))
    if (!page) return {}
    page.formerBlocks.push(...page.blocks)
    page.blocks =
      page.blocks.length > 0 ? [] : [{ condition: someCondition(situation.world.next), word: situation.world.word() }]
    await rewrite(situation, space)
    return { page }
  },
  async function move(situation, _site, space) {
    const page = pick(situation.world.next, readable(space))
    if (!page) return {}
    const moved = [page, ...below(page)].filter((one) => !one.draft && !one.gone)
    for (const one of moved) one.formerPaths.push(pathOf(space, one))
    page.former.push(page.words[0] as string)
    const word = situation.world.word()
    page.words[0] = word
    page.slug = word
    await update(situation, space, page, { slug: word })
    await learnIds(situation.here, space)
    return { page }
  },
  async function remove(situation, _site, space) {
    const page = pick(
      situation.world.next,
      readable(space).filter((one) => below(one).every(({ gone }) => gone)),
    )
    if (!page || space.links.some(({ to }) => to === page)) return {}
    page.gone = true
    await rewrite(situation, space)
    return { page }
  },
  async function part(situation, site) {
    const one = pick(situation.world.next, partsOf(site.parts)) as Part
    if (situation.world.next(2) === 0) one.draft = !one.draft
    else if (one.kind !== 'group') one.condition = one.condition ? null : someCondition(situation.world.next)
    await setPart(situation.here, site, one)
    return { part: one }
  },
  async function visibility(situation, site) {
    site.visibility =
      pick(situation.world.next, ['public', 'unlisted', 'share-link', 'visitor-auth'] as const) ?? 'public'
    await call(situation.here, 'patch', site.api, { visibility: site.visibility })
    return {}
  },
  async function agents(situation, site) {
    site.excluded = !site.excluded
    await call(situation.here, 'patch', site.api, { agentsContext: site.excluded ? 'excluded' : 'included' })
    return {}
  },
  async function history(situation, site) {
    if (situation.world.next(2)) site.past = !site.past
    else site.since = !site.since
    await call(situation.here, 'patch', site.api, { pastVersions: site.past, changesSince: site.since })
    return {}
  },
  async function publication(situation, site) {
    site.published = !site.published
    await call(situation.here, 'post', `${site.api}/${site.published ? 'publish' : 'unpublish'}`)
    return {}
  },
  async function adaptive(situation, site) {
    site.adaptive = !site.adaptive
    await call(situation.here, 'patch', site.api, { adaptiveContent: { enabled: site.adaptive } })
    if (site.adaptive) {
      await call(situation.here, 'put', `${site.api}/adaptive-schema`, SCHEMA)
    }
    return {}
  },
  async function keys(situation, site) {
    const key = pick(situation.world.next, site.keys) as Site['keys'][number]
    key.active = !key.active
    await call(situation.here, 'patch', `${site.api}/share-links/${key.id}`, { active: key.active })
    return {}
  },
  async function rotation(situation, site) {
    await call(situation.here, 'post', `${site.api}/publishing/auth/regenerate`, { graceSeconds: 0 })
    site.privateKey = (await call(situation.here, 'get', `${site.api}/publishing/auth`)).privateKey
    return {}
  },
  async function propose(situation, _site, space) {
    const page = pick(situation.world.next, readable(space))
    if (!page || openProposal(situation.world)) return {}
    const { here, world } = situation
    const { id } = await call(here, 'post', `/v1/spaces/${space.id}/change-requests`, { subject: 'Text' })
    const proposal = { id, page, word: world.word(), merged: false }
    space.proposals.push({ ...proposal, merged: true })
    const markdown = markdownOf(space, page)
    space.proposals.splice(-1, 1, proposal)
    await call(here, 'post', `/v1/spaces/${space.id}/change-requests/${id}/content`, {
      changes: [{ operation: 'update_page', page: page.id, document: { markdown } }],
    })
    return { page }
  },
  merge,
  merge,
  changeHosts,
  changeHosts,
  changeHosts,
]

async function merge(situation: Situation): Promise<Changed> {
  const proposal = openProposal(situation.world)
  const space = situation.world.spaces.find(({ proposals }) => proposal && proposals.includes(proposal))
  if (!proposal || !space || proposal.page.gone) return {}
  const path = `/v1/spaces/${space.id}/change-requests/${proposal.id}/merge`
  const { status } = await situation.here.service.admin.call('post', path)
  // Main has changed the same lines.
  if (status === 409) return {}
  assert.is(status, 200)
  proposal.merged = true
  proposal.page.proposed.push(proposal.word)
  return { page: proposal.page }
}

const below = (page: Page): Page[] => page.below.flatMap((one) => [one, ...below(one)])

/** Makes one random change. */
export async function changeWorld(situation: Situation): Promise<Changed> {
  const { world } = situation
  const change = pick(world.next, CHANGES) as Change
  const site = world.next(4) > 0 ? world.main : world.other
  const changed = await change(situation, site, pick(world.next, world.spaces) as Space)
  situation.remembered.clear()
  return changed
}
