/** A link of the interface to a page of the site or to another site. */
import { Icon } from './icons.js'
import type { SiteLink } from '../links.js'

export type LinkTarget = 'self' | 'blank'

/** The title of a link, after its icon. */
export const Title = ({ link: { icon, title } }: { link: SiteLink }) => (
  <>
    {icon === undefined ? null : <Icon name={`fa~${icon}`} />}
    {title}
  </>
)

/** A link; its title alone if it has no address. */
export const Link = ({
  link,
  target,
  class: name,
  isCurrent,
}: {
  link: SiteLink
  target: LinkTarget
  class?: string | undefined
  isCurrent?: boolean
}) =>
  link.href === undefined ? (
    <span class={name}>
      <Title link={link} />
    </span>
  ) : (
    <a
      class={name}
      href={link.href}
      aria-current={isCurrent ? 'true' : undefined}
      {...(link.isExternal && target === 'blank' ? { target: '_blank', rel: 'noopener noreferrer' } : {})}
    >
      <Title link={link} />
    </a>
  )

/** A picture for light and dark pages. */
export const Themed = ({ light, dark, alt }: { light: string; dark: string; alt: string }) =>
  light === dark ? (
    <img src={light} alt={alt} />
  ) : (
    <>
      <img class="on-light" src={light} alt={alt} />
      <img class="on-dark" src={dark} alt={alt} />
    </>
  )
