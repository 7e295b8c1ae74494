/** Applies the chosen settings of a site or site space to its inherited settings. */
import { customizationGroups, type SiteCustomization, type SiteCustomizationInput } from '../../model/index.js'
import { defined } from '../../kernel/defined.js'

type GivenFont = Exclude<NonNullable<NonNullable<SiteCustomizationInput['styling']>['font']>, string>
type GivenHeaderLink = NonNullable<NonNullable<SiteCustomizationInput['header']>['links']>[number]

/** Default display of a social account. */
const USUAL_DISPLAY = { footer: true, header: false }

/** Default values of an announcement that was given in part. */
const unannounced = { enabled: false, style: 'info', message: '' } as const

/** Applies settings on top of `base`, group by group and member by member. Null removes a member. */
export function customized(base: SiteCustomization, chosen: SiteCustomizationInput): SiteCustomization {
  const { title, favicon, announcement, ...others } = chosen
  const groups = customizationGroups
    .filter((name) => name !== 'announcement')
    .map((name) => [name, withoutNulls({ ...base[name], ...chosen[name] })])
  const announced = announcement
    ? withoutNulls({ ...unannounced, ...base.announcement, ...announcement })
    : base.announcement
  const whole: SiteCustomization = {
    ...base,
    ...others,
    ...defined({ title }),
    ...(favicon === undefined ? {} : { favicon: favicon ?? {} }),
    ...defined({ announcement: announced }),
    ...Object.fromEntries(groups),
  }
  if (!whole.title) delete whole.title
  const socialAccounts = whole.socialAccounts.map((account) => ({
    ...account,
    display: { ...USUAL_DISPLAY, ...account.display },
  }))
  return {
    ...whole,
    socialAccounts,
    styling: styled(whole.styling),
    header: { ...whole.header, links: whole.header.links.map(completeLink) },
  }
}

const withoutNulls = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))

const styled = (styling: SiteCustomization['styling']): SiteCustomization['styling'] => ({
  ...styling,
  font: completeFont(styling.font),
  monospaceFont: completeFont(styling.monospaceFont),
})

/** Completes a custom font: the default ID is derived from its name, and the format of a file from its URL. */
function completeFont<F extends string>(font: F | GivenFont) {
  if (typeof font === 'string') return font
  const fontFaces = font.fontFaces.map((face) => ({
    ...face,
    sources: face.sources.map(({ url, format }) => ({
      url,
      format: format ?? (/\.woff(?:$|[?#])/i.test(url) ? ('woff' as const) : ('woff2' as const)),
    })),
  }))
  return { ...font, id: font.id ?? font.fontFamily.replaceAll(' ', '-'), custom: true as const, fontFaces }
}

const completeLink = (link: GivenHeaderLink) => ({
  ...link,
  style: link.style ?? ('link' as const),
  links: link.links ?? [],
})
