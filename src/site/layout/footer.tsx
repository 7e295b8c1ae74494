/** The footer of every page. */
import type { Frame } from '../frame.js'
import { Accounts } from './header.js'
import { Link, Themed } from './link.js'

export const Footer = ({ frame: { footer, words, look, siteTitle } }: { frame: Frame }) => {
  const { groups, copyright, privacy, accounts, logo } = footer
  const hasEnd = copyright !== undefined || privacy !== undefined || accounts.length > 0 || look.trademark.enabled
  if (groups.length === 0 && !hasEnd && !logo) return null
  return (
    <footer class="foot">
      <div class="frame">
        {logo ? (
          <p class="foot-logo">
            <Themed {...logo} alt={siteTitle} />
          </p>
        ) : null}
        {groups.length === 0 ? null : (
          <div class="foot-groups">
            {groups.map(({ title, links }) => (
              <div>
                <h2>{title}</h2>
                <ul>
                  {links.map((link) => (
                    <li>
                      <Link link={link} target={look.externalLinks.target} />
                    </li>
                  ))}
                </ul>
              </div>
            ))}
          </div>
        )}
        {hasEnd ? (
          <div class="foot-end">
            {copyright === undefined ? null : <span>{copyright}</span>}
            {privacy === undefined ? null : <a href={privacy}>{words.privacy}</a>}
            {look.trademark.enabled ? <span>{words.publishedWith}</span> : null}
            <Accounts accounts={accounts} label={words.social} />
          </div>
        ) : null}
      </div>
    </footer>
  )
}
