/** Visitors with valid, expired, foreign and forged credentials, and their relation to a site. */
import { createHmac } from 'node:crypto'
import { pick, type Random } from '../../simulation/two-sided/random.js'
import type { Claims } from './claims.js'
import { maySeePart, type View } from './oracle.js'
import { type Site, type Space, siteSpacesOf, type World } from './world.js'

type TokenKind = (typeof TOKENS)[number]
const TOKENS = [
  'none',
  'valid',
  'valid',
  'valid',
  'bad-signature',
  'expired',
  'not-yet',
  'wrong-audience',
  'alg-none',
  'other-site',
  'as-texts',
  'as-unsigned',
] as const
const KEYS = ['none', 'valid', 'valid', 'revoked', 'wrong', 'other-site'] as const
const STATED = [
  null,
  null,
  '{"isBeta":true}',
  '{"isBeta":true}',
  '{"isBeta":false}',
  '{"isPro":true,"isStaff":true}',
  '{"isBeta":"true"}',
  '{"unsigned":{"isBeta":true}}',
  '{',
] as const
const PREVIEWS = [
  ...(['none', 'none', 'none', 'none', 'none', 'own', 'proposal', 'guest'] as const),
  ...(['guest-proposal', 'foreign-proposal', 'other-site', 'forged', 'expired', 'lapsed'] as const),
] as const
/** Browsers send cookies, programs headers, and some programs can only be given an address for their tools. */
const WAYS = ['cookie', 'cookie', 'header', 'address'] as const

export interface Visitor {
  key: (typeof KEYS)[number]
  token: TokenKind
  claims: Claims
  stated: string | null
  preview: (typeof PREVIEWS)[number]
  way: (typeof WAYS)[number]
}

export function someVisitor(next: Random): Visitor {
  return {
    key: pick(next, KEYS) as Visitor['key'],
    token: pick(next, TOKENS) as TokenKind,
    claims: { ...(next(2) ? { isPro: next(4) > 0 } : {}), ...(next(2) ? { isStaff: next(4) > 0 } : {}) },
    stated: pick(next, STATED) as string | null,
    preview: pick(next, PREVIEWS) as Visitor['preview'],
    way: pick(next, WAYS) as Visitor['way'],
  }
}

/** The visitor who may see the most without a preview. */
export const PRIVILEGED: Visitor = {
  key: 'valid',
  token: 'valid',
  claims: { isPro: true, isStaff: true },
  stated: '{"isBeta":true}',
  preview: 'none',
  way: 'cookie',
}

const foreign = (world: World, site: Site): Site => (site === world.main ? world.other : world.main)
const activeKey = (site: Site, active = true) => site.keys.find((one) => one.active === active)?.key

const shareKeyOf = (world: World, site: Site, visitor: Visitor): string | undefined =>
  ({
    none: undefined,
    valid: activeKey(site),
    revoked: activeKey(site, false),
    wrong: 'A'.repeat(43),
    'other-site': activeKey(foreign(world, site)),
  })[visitor.key]

/** The headers that a visitor sends to a site. */
export function headersOf(world: World, site: Site, visitor: Visitor, way = visitor.way): Record<string, string> {
  const [share, token] =
    way === 'cookie' ? [shareKeyOf(world, site, visitor), tokenOf(world, site, visitor)] : [undefined, null]
  const headers = way === 'header' ? credentialHeaders(world, site, visitor) : {}
  const cookies = [
    ...(share === undefined ? [] : [`bindery-share=${share}`]),
    ...(token === null ? [] : [`bindery-visitor=${token}`]),
    ...(visitor.stated === null ? [] : [`bindery-claims=${encodeURIComponent(visitor.stated)}`]),
  ]
  return { ...headers, ...(cookies.length > 0 ? { Cookie: cookies.join('; ') } : {}) }
}

function credentialHeaders(world: World, site: Site, visitor: Visitor): Record<string, string> {
  const [share, token] = [shareKeyOf(world, site, visitor), tokenOf(world, site, visitor)]
  return {
    ...(share === undefined ? {} : { 'X-Share-Key': share }),
    ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
  }
}

/** The address of the tools with the credentials of a visitor, below the site. */
export function addressOfTools(world: World, site: Site, visitor: Visitor): string {
  const [share, token] = [shareKeyOf(world, site, visitor), tokenOf(world, site, visitor)]
  return `${share === undefined ? '' : `~share/${share}/`}~mcp${token === null ? '' : `?jwt_token=${token}`}`
}

const coded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export function tokenOf(world: World, site: Site, { token, claims }: Visitor): string | null {
  if (token === 'none') return null
  const now = Math.floor(Date.now() / 1000)
  const stated =
    token === 'as-texts'
      ? { isPro: 'true', isStaff: 1 }
      : token === 'as-unsigned'
        ? { unsigned: { isBeta: true }, isBeta: true }
        : claims
  const payload = {
    sub: 'visitor',
    exp: token === 'expired' ? now - 3_600 : now + 36_000,
    ...(token === 'not-yet' ? { nbf: now + 3_600 } : {}),
    aud: token === 'wrong-audience' ? 'others' : (site.audience ?? 'any'),
    ...stated,
  }
  const text = `${coded({ alg: token === 'alg-none' ? 'none' : 'HS256', typ: 'JWT' })}.${coded(payload)}`
  const key = token === 'other-site' ? foreign(world, site).privateKey : site.privateKey
  const signature = createHmac('sha256', token === 'bad-signature' ? `${key}x` : key)
    .update(text)
    .digest('base64url')
  return `${text}.${token === 'alg-none' ? '' : signature}`
}

const accepted = (site: Site, { token }: Visitor): boolean =>
  ['valid', 'as-texts', 'as-unsigned'].includes(token) || (token === 'wrong-audience' && site.audience === null)

const isPreview = ({ preview }: Visitor): boolean => ['own', 'proposal', 'guest', 'guest-proposal'].includes(preview)

/** Returns the relation of a visitor to a site. A site without visible content looks like a missing one. */
export function viewOf(world: World, site: Site, visitor: Visitor): View {
  const view = credentialsOf(world, site, visitor)
  if (isElsewhere(view)) return { ...view, admitted: false }
  return { ...view, admitted: siteSpacesOf(site).some((part) => maySeePart(view, part)) }
}

function credentialsOf(world: World, site: Site, visitor: Visitor): View {
  const isProposal = visitor.preview === 'proposal' || visitor.preview === 'guest-proposal'
  const proposal = isProposal ? (openProposal(world)?.id ?? null) : null
  const lacks: ReadonlySet<Space> = /^guest/.test(visitor.preview) ? world.guestLacks : new Set()
  if (isPreview(visitor))
    return {
      site,
      admitted: true,
      signedIn: true,
      claims: {},
      preview: proposal === null ? 'site' : 'change-request',
      lacks,
      proposal,
    }
  const enters =
    site.visibility === 'share-link'
      ? visitor.key === 'valid' && activeKey(site) !== undefined
      : site.visibility === 'visitor-auth'
        ? accepted(site, visitor)
        : true
  const claims: Claims = {}
  if (site.adaptive) {
    if (accepted(site, visitor) && ['valid', 'wrong-audience'].includes(visitor.token))
      Object.assign(claims, visitor.claims)
    if (visitor.stated === '{"isBeta":true}' || visitor.stated === '{"isBeta":false}')
      claims.isBeta = visitor.stated === '{"isBeta":true}'
  }
  const admitted = site.published && enters
  const signedIn = admitted && site.visibility === 'visitor-auth'
  return { site, admitted, signedIn, claims, preview: null, lacks: new Set(), proposal: null }
}

/** Whether a preview is of a change request in a space that it does not show. */
const isElsewhere = (view: View): boolean =>
  view.proposal !== null &&
  !siteSpacesOf(view.site).some(
    (part) => part.space?.proposals.some(({ id }) => id === view.proposal) && maySeePart(view, part),
  )

export const openProposal = (world: World): Space['proposals'][number] | undefined =>
  world.spaces.flatMap(({ proposals }) => proposals).find(({ merged }) => !merged)

/** Returns the path between the address of the site and the path of a page. */
export function previewPath(world: World, site: Site, visitor: Visitor): string {
  const { preview } = visitor
  if (preview === 'none') return ''
  const token = {
    own: site.preview,
    proposal: site.preview,
    guest: site.guestPreview,
    'guest-proposal': site.guestPreview,
    'foreign-proposal': site.preview,
    'other-site': foreign(world, site).preview,
    forged: `${site.preview.slice(0, -3)}AAA`,
    expired: site.expiredPreview,
    lapsed: site.lapsedPreview,
  }[preview]
  const id = preview === 'foreign-proposal' ? 'A'.repeat(20) : /proposal/.test(preview) ? openProposal(world)?.id : ''
  return `~preview/${token}/${id ? `~changes/${id}/` : ''}`
}

/** Whether an address of the site works for a visitor. With a foreign preview, none does. */
export const isLost = (visitor: Visitor): boolean => visitor.preview !== 'none' && !isPreview(visitor)

/** Visitors with the same outcome must get the same bytes. */
export const outcomeOf = (view: View): string =>
  JSON.stringify([
    view.site.id,
    view.admitted,
    view.signedIn,
    view.claims.isPro,
    view.claims.isStaff,
    view.claims.isBeta,
    view.preview,
  ])
