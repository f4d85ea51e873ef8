"""The tables of a report, by name, and what stands in them."""

from evoreplay.reports.report import make_report


def tables(folder):
    (part,) = make_report(folder).sections
    return {table.name: table for table in part.tables}


def texts(table):
    return {row[0].text: [cell.text for cell in row[1:]] for row in table.rows}
