"""Words that pages use around dates and releases, as data.

The words that may stand beside a date or a version without saying anything more, and those by
which a page says that it is a changelog.
"""

from collections.abc import Mapping
from functools import lru_cache

from changelog_reader.content.languages import MONTHS, SHORT_MONTHS, month_names, numbered


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


def phrases(text: str) -> tuple[str, ...]:
    """Return the phrases of a text, which commas set apart."""
    return tuple(" ".join(phrase.split()) for phrase in text.split(","))


# Pages often name no language, or a wrong one. More names everywhere would cost every page.
_UNNAMED = ("pl", "cs", "ru", "uk", "sv", "da", "nb", "fi", "tr", "id")


@lru_cache(maxsize=16)
def month_numbers(language: str) -> Mapping[str, int]:
    """Return every month name believed on a page in ``language`` ("" when unknown)."""
    numbers: dict[str, int] = {}
    for other in (language,) if language else _UNNAMED:
        if other not in MONTHS:
            numbers.update(month_names(other))
    for month, names in SHORT_MONTHS.items():
        if month == language or not language:
            numbers.update(numbered(names))
    for names in (*MONTHS.values(), SHORT_MONTHS["en"]):
        numbers.update(numbered(names))
    return numbers


WEEKDAYS = word_set(
    """
    monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri
    sat sun montag dienstag mittwoch donnerstag freitag samstag sonntag mo di mi do fr sa so lundi
    mardi mercredi jeudi vendredi samedi dimanche lunes martes miércoles jueves viernes sábado
    domingo segunda-feira terça-feira quarta-feira quinta-feira sexta-feira segunda terça quarta
    quinta sexta lunedì martedì mercoledì giovedì venerdì sabato domenica maandag dinsdag woensdag
    donderdag vrijdag zaterdag zondag 月 火 水 木 金 土 日 月曜日 火曜日 水曜日 木曜日 金曜日
    土曜日 日曜日 星期一 星期二 星期三 星期四 星期五 星期六 星期日 周一 周二 周三 周四 周五 周六
    周日 월 화 수 목 금 토 일 월요일 화요일 수요일 목요일 금요일 토요일 일요일
    """
)

# What may stand beside a date without making the line more than a date.
DATE_COMPANIONS = WEEKDAYS | word_set(
    """
    on at the of week date dated day released release published posted publish added created
    shipped updated deployed announced from to by until since am pm a.m p.m utc gmt est edt pst pdt
    cst cdt cet cest bst jst st nd rd th der vom am den le du el la del de da em il van op
    veröffentlicht
    veröffentlichung publié publiée publicado publicada lanzamiento fecha datum data um uhr
    z dnia r od opublikowano vydáno dne от г года выпущена выпущен опубликовано дата від року
    publicerad utgiven udgivet publisert julkaistu tarihi yayınlandı tanggal megjelent közzétéve
    δημοσιεύτηκε δημοσίευση objavljeno objavené publicat diterbitkan
    発売日 公開日 更新日 リリース日 发布日期 发布 发布于 更新 更新于 日期 출시 게시 배포
    """
)

# A date after one of these says when the page was touched, not when something came out.
NOT_PUBLICATION = phrases(
    """
    last updated, last modified, last reviewed, last edited, last commit, page updated,
    updated on, modified on, reviewed on, copyright, ©, expires, valid until, effective from,
    deadline, zuletzt aktualisiert, dernière mise à jour, dernière modification,
    última actualización, última atualização, 最終更新, 最后更新, 最終變更,
    ostatnia aktualizacja, последнее обновление, обновлено
    """
)


def is_not_publication(words: str) -> bool:
    """Return whether the words before a date show that it is not the date of publication."""
    lowered = words.lower()
    return any(label in lowered for label in NOT_PUBLICATION)


# What may stand beside a version without making the heading more than a release.
VERSION_COMPANIONS = DATE_COMPANIONS | word_set(
    """
    version versions ver v release released releases notes note changelog changes change log
    what's new whats in for latest current stable beta alpha preview rc candidate hotfix patch
    security update updates maintenance major minor bugfix yanked unreleased lts ga build final
    edition tba tbd and download diff docs compare source code pre-release prerelease
    versión versão versione バージョン 版本 버전 notas notizen neuerungen versie wersja wydanie
    verze версия версии релиз выпуск обновление версія sürüm utgåva versio versi
    """
)

# A version after one of these is what the text is about, not what came out.
ABOUT_A_VERSION = word_set(
    """
    migrate migrating migration upgrade upgrading install installing installation using use
    requires require requirements support supported supports how why breaking moving from to
    compatibility compatible deprecated removing since before after below above until
    guide tutorial faq introduction overview section chapter appendix figure table step part
    """
)

NOT_YET = word_set(
    """
    unreleased yet upcoming next future master main head trunk dev development tba tbd planned
    unveröffentlicht inédit 未发布 未リリース
    """
)

# Headings that sort the changes inside one release.
CATEGORIES = word_set(
    """
    added changed deprecated removed fixed security feature features fix fixes improvements
    improvement enhancement enhancements new breaking bug bugs bugfix bugfixes change changes
    other misc miscellaneous
    documentation docs internal performance dependencies tests chores refactor refactoring build ci
    highlights notes contributors downloads summary overview api reverts style
    """
)

# A page or an address with one of these speaks of what came out.
CHANGELOG_WORDS = phrases(
    """
    changelog, change log, change-log, change_log, changes, release note, release-note,
    release_note, releasenote, releases, release history, relnotes, whats-new, whats_new,
    whatsnew, what's new, what’s new, what is new, version history, version-history, versions,
    history, history., updates, product update, product-update, news, announcements, blog,
    änderungen, neuigkeiten, neuerungen, versionshinweise, nouveautés, nouveautes,
    notes de version, journal des modifications, novedades, notas de la versión,
    notas de versión, historial de cambios, novidades, notas de versão, notas da versão,
    atualizações, リリースノート, 更新履歴, 変更履歴, 新機能, お知らせ, 更新日志, 更新記錄,
    更新记录, 版本说明, 发行说明, 变更日志, 릴리스, 릴리즈, 업데이트, 변경 로그, zmiany,
    co nowego, co je nového, история изменений, история версий, что нового, журнал изменений,
    обновления, що нового, історія змін, журнал змін, nyheter, wijzigingen, sürüm notları,
    değişiklik, 변경 사항, muutokset, muutosloki, julkaisutiedot, mitä uutta, αλλαγές, τι νέο,
    változások, újdonságok, thay đổi, có gì mới, noutăți, modificări, promjene, izmjene, novosti,
    zmeny, novinky, muudatused, pakeitimai, izmaiņas, ændringer, endringer, ändringar, canvis,
    novetats, perubahan, промени, מה חדש, שינויים, ما الجديد, التغييرات, การเปลี่ยนแปลง
    """
)

# In the title of a home page these are words like others.
_OF_MAGAZINES = word_set(
    "history history. updates news announcements blog nyheter novinky novosti お知らせ 업데이트"
)
SURE_CHANGELOG_WORDS = tuple(word for word in CHANGELOG_WORDS if word not in _OF_MAGAZINES)

# A link with one of these leads from an entry to the whole of it.
MORE_WORDS = word_set(
    """
    more read learn see show details view full continue weiter weiterlesen mehr ansehen lire suite
    voir leer más ver ler mais leggi meer läs czytaj читать подробнее
    """
)
ARROWS = ("→", "»", "›")
MORE_SIGNS = (
    *ARROWS,
    "了解",
    "続き",
    "詳細",
    "詳しく",
    "もっと",
    "查看",
    "详情",
    "更多",
    "阅读",
    "자세히",
)
