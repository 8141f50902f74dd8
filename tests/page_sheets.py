#!/usr/bin/env python3
"""Photographs the page, so that people can look at every view of it for runs of every kind.

  page_sheets.py [--binary PATH] FOLDER [RUN...]     contact sheets, and each picture by itself, in FOLDER
  page_sheets.py [--binary PATH] --picture FILE      the picture of the README

A sheet has one run in one of these settings: a desktop in light and in dark colours; for the run of WITH_SETTINGS also a narrow window, a phone, paper, and
a browser without scripts. FOLDER/RUN.SETTING.png is the sheet, FOLDER/RUN.SETTING/VIEW.png a picture of it. Runs of `shared` beside the project are left
out, by name, where that folder is missing. Beside each sheet the command says what went wrong in the page, and what is wider than its window.
"""
import argparse
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from checks import command, places   # noqa: E402
from checks.command import amdahlc   # noqa: E402
from checks.page.browser import DESKTOP, PHONE, browser   # noqa: E402
from checks.results import Skip   # noqa: E402

EXAMPLES, SHARED = places.EXAMPLES, places.SHARED
ORT, CPU, CASES, SERVING = SHARED / 'traces' / 'ort', SHARED / 'traces' / 'cpu', SHARED / 'cases' / 'programs', SHARED / 'programs' / 'serving' / 'sglang_decode'
RUNS = {
    'encoder': ('-hardware=epyc-genoa-1-core', '-what-if=linear=2x', EXAMPLES / 'encoder.trace.json.gz', EXAMPLES / 'encoder.onnx'),
    'decoder': ('-hardware=h100-sxm', EXAMPLES / 'h100' / 'decoder.trace.json.gz', EXAMPLES / 'h100' / 'decoder.onnx'),
    'bert': ('-hardware=h100-sxm', SHARED / 'traces' / 'h100' / 'bert-small.json.gz', SHARED / 'models' / 'bert-small.torchscript.onnx'),
    'capture': ('-hardware=mi300x', SERVING / 'run.json.gz', SERVING / 'capture.json.gz'),
    'streams': (SHARED / 'traces' / 'hta' / 'multi_stream_train_rank0.json.gz',),
    'training': (CASES / 'encoder_training' / 'trace.json.gz', CASES / 'encoder_training' / 'et.json.gz'),
    'before-after': ('-trace=before=' + str(EXAMPLES / 'h100' / 'decoder.trace.json.gz'), '-trace=after=' + str(EXAMPLES / 'h100' / 'decoder.graph.trace.json.gz')),
    'back-ends': (f'-trace=eager={CPU / "resnet18-eager.json.gz"}', f'-trace=inductor={CPU / "resnet18-inductor.json.gz"}', f'-trace=onnxruntime={ORT / "resnet18-all.json.gz"}',
                  SHARED / 'models' / 'resnet18.torchscript.onnx'),
    'ranks': (f'-trace={SHARED / "programs" / "dlrm"}',),
}
WITH_SETTINGS = 'encoder'
NARROW, PAPER = (800, 900), (760, 1080)
SETTINGS = {'light': {}, 'dark': {'scheme': 'dark'}, 'narrow': {'size': NARROW}, 'phone': {'size': PHONE}, 'paper': {'size': PAPER}, 'no-script': {'script': False}}
# Views that are photographed once more with the first row of this grid, or with this choice.
CHOSEN = {'Kernels': '[role=grid] .grid-body [role=row] [role=gridcell]', 'Operators': '[role=grid] .grid-body [role=row] [role=gridcell]',
          'Modules': '[role=treeitem]'}
PICTURE = (1280, 800)
MOST_HEIGHT = 4000


def page_of(folder, name):
    path = folder / f'{name}.html'
    amdahlc.text(f'-emit=html={path}', *RUNS[name])
    return path


def too_wide(tab):
    """Parts of the page that scroll sideways."""
    return tab.page.evaluate("""() => [...document.querySelectorAll("html, .panel, .grid")]
        .filter(one => one.scrollWidth > one.clientWidth + 1)
        .map(one => `${one.getAttribute("aria-label") ?? one.className ?? one.tagName} is ${one.scrollWidth} px in ${one.clientWidth} px`)""")


def photographs(tab, folder, setting, whole):
    """The pictures of all views, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    if setting == 'no-script':
        tab.screenshot(folder / 'Summary.png', full_page=True)
        yield 'Summary'
        return
    tabs = tab.page.get_by_role('tablist', name='Views').get_by_role('tab')
    for name in tabs.all_inner_texts():
        tabs.get_by_text(name, exact=True).click()
        tab.settle()
        tab.page.wait_for_timeout(150)
        if setting == 'paper':
            tab.page.emulate_media(media='print')
            tab.page.evaluate('dispatchEvent(new Event("beforeprint"))')
        # A view that scrolls is shown whole.
        hidden = tab.page.evaluate('() => { const panel = document.querySelector(".panel"); return panel.scrollHeight - panel.clientHeight; }')
        size = tab.page.viewport_size
        if hidden > 0 and setting != 'paper':
            tab.page.set_viewport_size({'width': size['width'], 'height': min(size['height'] + hidden, MOST_HEIGHT)})
            tab.page.wait_for_timeout(150)
        tab.screenshot(folder / f'{name}.png', full_page=whole)
        tab.page.set_viewport_size(size)
        yield name
        if setting == 'paper':
            tab.page.evaluate('dispatchEvent(new Event("afterprint"))')
            tab.page.emulate_media(media='screen')
        wide = too_wide(tab)
        if wide:
            print(f'{folder.name}, {name}: {"; ".join(wide)}')
    for name in tabs.all_inner_texts() if setting in ('light', 'dark') else []:
        if name in CHOSEN:
            tabs.get_by_text(name, exact=True).click()
            tab.settle()
            if tab.page.locator(CHOSEN[name]).count():
                tab.page.locator(CHOSEN[name]).first.click()
                tab.page.wait_for_timeout(150)
                tab.screenshot(folder / f'{name}, chosen.png')
                yield f'{name}, chosen'


def sheet(opened, folder, names, file):
    """One picture of many."""
    figures = ''.join(f'<figure><img src="{(folder / name).resolve().as_uri()}.png"><figcaption>{name}</figcaption></figure>' for name in names)
    page = folder / 'sheet.html'
    page.write_text('<!doctype html><style>body{margin:24px;font:15px sans-serif;background:#999;columns:3;column-gap:24px}figure{margin:0 0 24px;break-inside:avoid}'
                    f'img{{display:block;width:100%}}figcaption{{padding:6px 0}}</style>{figures}')
    context = opened.chromium.new_context(viewport={'width': 2400, 'height': 900})
    try:
        shown = context.new_page()
        shown.goto(page.resolve().as_uri())
        shown.screenshot(path=str(file), full_page=True)
    finally:
        context.close()
    page.unlink()


def sheets(opened, documents, folder, name, settings):
    document = page_of(documents, name)
    for setting in settings:
        pictures = folder / f'{name}.{setting}'
        with opened.open(document, **SETTINGS[setting]) as tab:
            names = list(photographs(tab, pictures, setting, setting in ('phone', 'paper')))
            for fault in tab.faults:
                print(f'{name}.{setting}: {fault}')
        file = folder / f'{name}.{setting}.png'
        sheet(opened, pictures, names, file)
        print(file, flush=True)


def picture(opened, documents, file):
    """The timeline of a decoder, with a kernel that is chosen."""
    with opened.open(page_of(documents, 'decoder'), size=PICTURE) as tab:
        tab.page.get_by_role('tab', name='Timeline', exact=True).click()
        tab.settle()
        tab.page.wait_for_timeout(150)
        tab.screenshot(file)
    print(f'{file}: {file.stat().st_size // 1000} kB')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--binary', type=pathlib.Path)
    parser.add_argument('--picture', type=pathlib.Path, metavar='FILE')
    parser.add_argument('--settings', default='', help=f'some of {",".join(SETTINGS)}')
    parser.add_argument('folder', type=pathlib.Path, nargs='?')
    parser.add_argument('runs', nargs='*', metavar='RUN', help=f'some of {", ".join(RUNS)}')
    options = parser.parse_args()
    if (options.folder is None) == (options.picture is None):
        parser.error('give FOLDER or --picture FILE')
    unknown = [name for name in options.runs if name not in RUNS] + [name for name in filter(None, options.settings.split(',')) if name not in SETTINGS]
    if unknown:
        parser.error(f'no run or setting `{unknown[0]}`')
    try:
        command.choose(options.binary, False)
        with browser() as opened, tempfile.TemporaryDirectory(prefix='page-') as documents:
            if options.picture:
                picture(opened, pathlib.Path(documents), options.picture)
                return 0
            for name in options.runs or RUNS:
                if not SHARED.is_dir() and any(str(SHARED) in str(one) for one in RUNS[name]):
                    print(f'{name}: left out, because the folder `shared` beside the project is missing')
                    continue
                sheets(opened, pathlib.Path(documents), options.folder, name,
                       options.settings.split(',') if options.settings else SETTINGS if name == WITH_SETTINGS else ('light', 'dark'))
    except (Skip, command.WrongBinary) as missing:
        print(f'error: {missing}', file=sys.stderr)
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
