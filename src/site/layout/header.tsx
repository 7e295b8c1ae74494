/** The top of every page: announcement, header and sections. */
import type { Frame, SectionItem } from '../frame.js'
import type { HeaderLink, SocialLink } from '../links.js'
import { Icon, type IconName } from './icons.js'
import { Link, type LinkTarget, Themed, Title } from './link.js'

export const Announcement = ({ frame }: { frame: Frame }) => {
  const { announcement, notice, words, look } = frame
  if (notice !== undefined)
    return (
      <section class="announce warning" aria-label={words.announcement}>
        <div class="frame">
          <Icon name="info" />
          <p>{notice}</p>
        </div>
      </section>
    )
  if (!announcement) return null
  const icons: Record<string, IconName> = { success: 'good', warning: 'warn', danger: 'danger' }
  const { link } = announcement
  return (
    <section class={`announce ${announcement.style}`} aria-label={words.announcement}>
      <div class="frame">
        <Icon name={icons[announcement.style] ?? 'info'} />
        <p>
          {announcement.message} {link ? <Link link={link} target={look.externalLinks.target} /> : null}
        </p>
      </div>
    </section>
  )
}

const DEFAULT_MARK = (
  <svg viewBox="0 0 26 26" aria-hidden="true">
    <path d="M3 4.5h20v17H3z" fill="none" stroke="currentColor" stroke-width="2" />
    <path d="M7.5 9h7M7.5 13h9M7.5 17h5" stroke="currentColor" stroke-width="2" />
    <path d="M19 8v10" stroke="var(--top-mark)" stroke-width="2.5" />
  </svg>
)

const Brand = ({ frame: { logo, emoji, home, siteTitle } }: { frame: Frame }) => (
  <a class="brand" href={home}>
    {logo ? (
      <Themed {...logo} alt={siteTitle} />
    ) : (
      <>
        {emoji === undefined ? DEFAULT_MARK : <span aria-hidden="true">{emoji}</span>}
        <span>{siteTitle}</span>
      </>
    )}
  </a>
)

const menuId = (index: number): string => `ui~links-${index}`

const HeaderItem = ({ link, index, target }: { link: HeaderLink; index: number; target: LinkTarget }) => {
  const style = { link: undefined, 'button-primary': 'btn primary', 'button-secondary': 'btn' }[link.style]
  if (link.links.length === 0) return <Link link={link} target={target} class={style} />
  return (
    <button type="button" class={style} popovertarget={menuId(index)}>
      {link.title}
      <Icon name="down" />
    </button>
  )
}

const LinkMenus = ({ frame: { links, look } }: { frame: Frame }) => (
  <>
    {links.map(({ links: menu, ...link }, index) =>
      menu.length === 0 ? null : (
        <nav class="menu end" id={menuId(index)} popover="auto" aria-label={link.title}>
          {link.href === undefined ? null : <Link link={link} target={look.externalLinks.target} />}
          {menu.map((one) => (
            <Link
              link={one}
              target={look.externalLinks.target}
              class={one.href === undefined ? 'menu-title' : undefined}
            />
          ))}
        </nav>
      ),
    )}
  </>
)

export const Accounts = ({ accounts, label }: { accounts: readonly SocialLink[]; label: string }) =>
  accounts.length === 0 ? null : (
    <ul class="social" aria-label={label}>
      {accounts.map(({ platform, href }) => (
        <li>
          <a href={href} aria-label={NAMES[platform] ?? platform} rel="me noopener">
            <Icon name={`fa~${platform === 'twitter' ? 'x-twitter' : platform}`} />
          </a>
        </li>
      ))}
    </ul>
  )

const NAMES: Readonly<Record<string, string>> = {
  twitter: 'X',
  instagram: 'Instagram',
  facebook: 'Facebook',
  linkedin: 'LinkedIn',
  github: 'GitHub',
  discord: 'Discord',
  slack: 'Slack',
  youtube: 'YouTube',
  tiktok: 'TikTok',
  reddit: 'Reddit',
  bluesky: 'Bluesky',
  mastodon: 'Mastodon',
  threads: 'Threads',
  medium: 'Medium',
}

const ThemeMenu = ({ frame: { words } }: { frame: Frame }) => (
  <div class="menu end" id="ui~theme" popover="auto">
    {(['light', 'dark', 'system'] as const).map((scheme) => (
      <button type="button" data-theme-set={scheme} aria-pressed={scheme === 'system' ? 'true' : 'false'}>
        <Icon name={({ light: 'sun', dark: 'moon', system: 'auto' } as const)[scheme]} />
        {words.theme[scheme]}
      </button>
    ))}
  </div>
)

/** The header. On small screens, it has the button that opens the navigation. */
export const Header = ({ frame }: { frame: Frame }) => {
  const { words, search, links, primary, look, headerAccounts } = frame
  const { target } = look.externalLinks
  return (
    <>
      <header class="top">
        <div class="frame">
          <Brand frame={frame} />
          <span class="grow only-small" />
          <a class="btn-i only-small" href={search} aria-label={words.search} data-open-search="">
            <Icon name="search" />
          </a>
          <search class="wide-only">
            <a class="field" href={search} data-open-search="">
              <Icon name="search" />
              <span>{words.search}</span>
              <kbd dir="ltr">{words.searchKeys}</kbd>
            </a>
          </search>
          <div class="end">
            {links.length === 0 && !primary ? null : (
              <nav class="links" aria-label={words.headerLinks}>
                {links.map((link, index) => (
                  <HeaderItem link={link} index={index} target={target} />
                ))}
                {primary ? <Link link={primary} target={target} class="btn primary" /> : null}
              </nav>
            )}
            <Accounts accounts={headerAccounts} label={words.social} />
            {look.themes.toggeable ? (
              <button type="button" class="btn-i" popovertarget="ui~theme" aria-label={words.theme.label}>
                <Icon name="auto" />
              </button>
            ) : null}
            <button type="button" class="btn-i only-small" popovertarget="ui~tree" aria-label={words.openNavigation}>
              <Icon name="menu" />
            </button>
          </div>
        </div>
      </header>
      {look.themes.toggeable ? <ThemeMenu frame={frame} /> : null}
      <LinkMenus frame={frame} />
    </>
  )
}

const sectionMenu = (id: string): string => `ui~section-${id}`

const GroupItems = ({ items, target }: { items: readonly SectionItem[]; target: LinkTarget }) => (
  <>
    {items.map((item) =>
      item.items ? (
        <>
          <span class="menu-title">
            <Title link={item} />
          </span>
          <GroupItems items={item.items} target={target} />
        </>
      ) : (
        <Link link={item} target={target} isCurrent={item.isCurrent} />
      ),
    )}
  </>
)

/** The sections of the site, and the menus of their groups. */
export const Sections = ({ frame: { sections, words, look } }: { frame: Frame }) => {
  if (sections.length < 2 && !sections.some(({ items }) => items)) return null
  const { target } = look.externalLinks
  return (
    <>
      <nav class="sections" aria-label={words.sections}>
        <div class="frame">
          <ul>
            {sections.map((item) => (
              <li>
                {item.items ? (
                  <button
                    type="button"
                    popovertarget={sectionMenu(item.id)}
                    aria-current={item.isCurrent ? 'true' : undefined}
                  >
                    <Title link={item} />
                    <Icon name="down" />
                  </button>
                ) : (
                  <Link link={item} target={target} isCurrent={item.isCurrent} />
                )}
              </li>
            ))}
          </ul>
        </div>
      </nav>
      {sections.map((item) =>
        item.items ? (
          <nav class="menu" id={sectionMenu(item.id)} popover="auto" aria-label={item.title}>
            <GroupItems items={item.items} target={target} />
          </nav>
        ) : null,
      )}
    </>
  )
}
